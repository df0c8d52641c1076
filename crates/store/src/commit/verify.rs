//! Looks again, right before the commit point and after everything is in its place: whoever edits by hand in the meantime is
//! not overwritten.

use super::prepare::{Required, look, require, require_movable, require_same};
use super::{CommitError, Expect};
use crate::beneath::Root;
use crate::doc;
use crate::hash::ContentHash;
use crate::journal::{Put, Step};

/// Whether every path still is what the record says.
pub(super) fn verify(root: &Root, steps: &[Step]) -> Result<(), CommitError> {
    for step in steps {
        match step {
            Step::Put(Put { path, old: Some(old), .. }) | Step::Delete { path, old } => {
                require(path, look(root, path)?, Expect::Hash(*old))?;
            }
            Step::Put(Put { path, old: None, .. }) => require(path, look(root, path)?, Expect::Absent)?,
            Step::MoveDir { from, to } => require_movable(root, from, to)?,
            Step::DeleteDir { path, old } => require_same(root, path, *old)?,
        }
    }
    Ok(())
}

/// Whether every file that was read for a decision still is what it was, after these steps have moved what they move.
pub(super) fn verify_required(root: &Root, required: &[Required], done: &[Step]) -> Result<(), CommitError> {
    for Required { path, expect } in required {
        let now = done.iter().fold(path.clone(), |path, step| match step {
            Step::MoveDir { from, to } => {
                path.below(from).and_then(|below| to.join(below).ok()).unwrap_or_else(|| path.clone())
            }
            _ => path,
        });
        let is_written = |step: &Step| match step {
            Step::Put(Put { path: written, .. }) | Step::Delete { path: written, .. } => written == path,
            Step::DeleteDir { path: folder, .. } => path.below(folder).is_some(),
            Step::MoveDir { .. } => false,
        };
        if !done.iter().any(is_written) {
            // As it was read: through a link, if one leads there.
            let hash =
                doc::read_bytes(root, &now).map_err(|_| CommitError::Changed { path: path.clone() })?;
            let hash = hash.map(|bytes| ContentHash::of(&bytes));
            match (*expect, hash) {
                (Expect::Absent, Some(_)) => return Err(CommitError::Exists { path: path.clone() }),
                (Expect::Hash(_), None) => return Err(CommitError::Gone { path: path.clone() }),
                (Expect::Hash(seen), Some(hash)) if seen != hash => {
                    return Err(CommitError::Changed { path: path.clone() });
                }
                _ => {}
            }
        }
    }
    Ok(())
}
