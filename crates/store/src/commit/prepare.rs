//! Looks before anything is written: every edit becomes a step with exact hashes, or is refused.

use std::collections::BTreeSet;

use super::verify::verify_required;
use super::{Action, Change, CommitError, Edit, Expect};
use crate::beneath::Root;
use crate::doc::too_large;
use crate::error::FileError;
use crate::git::OfGit;
use crate::hash::ContentHash;
use crate::journal::{Blob, Put, Step};
use crate::manifest;
use crate::path::RelPath;
use crate::place::{Attributes, Present, present};

/// Whether every edit finds its path as it expects it, and could be done there.
pub(crate) fn rehearse(root: &Root, edits: &[Edit<RelPath>]) -> Result<(), CommitError> {
    prepare(root, edits, 0).map(drop)
}

/// Edits as steps, with what has to be staged for them.
#[derive(Default)]
pub(super) struct Prepared<'a> {
    pub(super) steps: Vec<Step>,
    pub(super) blobs: Vec<Blob<'a>>,
    pub(super) changes: Vec<Change>,
    pub(super) folders: Vec<RelPath>,
    /// The same folders, to be found among thousands.
    known_folders: BTreeSet<RelPath>,
    pub(super) required: Vec<Required>,
    /// The number that the first of its contents gets in the transaction's folder.
    first_blob: usize,
}

/// A file that was read for a decision, and what it was.
#[derive(Debug)]
pub(super) struct Required {
    pub(super) path: RelPath,
    pub(super) expect: Expect,
}

impl Required {
    pub(super) fn again(&self) -> Self {
        Self { path: self.path.clone(), expect: self.expect }
    }
}

/// Looks at every path and turns edits into steps with exact hashes.
pub(super) fn prepare<'a>(
    root: &Root,
    edits: &'a [Edit<RelPath>],
    first_blob: usize,
) -> Result<Prepared<'a>, CommitError> {
    let mut prepared = Prepared { first_blob, ..Prepared::default() };
    let mut named = BTreeSet::new();
    for edit in edits {
        match edit {
            Edit::Put { place, bytes, expect } => {
                let path = name_once(root, place, &mut named)?;
                let now = look(root, &path)?;
                require(&path, now, *expect)?;
                prepared.need_folders(root, &path)?;
                prepared.add_put(path, bytes, now);
            }
            Edit::Delete { place, expect } => {
                let path = name_once(root, place, &mut named)?;
                let now = look(root, &path)?;
                require(&path, now, *expect)?;
                if let Some((old, _)) = now {
                    prepared.steps.push(Step::Delete { path: path.clone(), old });
                    prepared.changes.push(Change { path, action: Action::Deleted, hash: None });
                }
            }
            Edit::MoveDir { from, to } => {
                require_movable(root, from, to)?;
                prepared.need_folders(root, to)?;
                prepared.steps.push(Step::MoveDir { from: from.clone(), to: to.clone() });
                prepared.changes.push(Change { path: to.clone(), action: Action::Moved, hash: None });
            }
            Edit::DeleteDir { path, seen } => {
                require_same(root, path, *seen)?;
                prepared.steps.push(Step::DeleteDir { path: path.clone(), old: *seen });
                prepared.changes.push(Change { path: path.clone(), action: Action::Deleted, hash: None });
            }
            Edit::Require { place, expect } => {
                prepared.required.push(Required { path: place.clone(), expect: *expect });
            }
        }
    }
    // What is written or removed has an expectation of its own.
    prepared.required.retain(|required| !named.contains(&required.path));
    verify_required(root, &prepared.required, &[])?;
    Ok(prepared)
}

impl<'a> Prepared<'a> {
    fn add_put(&mut self, path: RelPath, bytes: &'a [u8], now: Option<(ContentHash, Attributes)>) {
        let (old, like) = now.unzip();
        let new = ContentHash::of(bytes);
        if old == Some(new) {
            return;
        }
        let blob = (self.first_blob + self.blobs.len()).to_string();
        let action = if old.is_some() { Action::Modified } else { Action::Created };
        self.blobs.push(Blob { name: blob.clone(), bytes, like });
        self.steps.push(Step::Put(Put { path: path.clone(), old, new, blob }));
        self.changes.push(Change { path, action, hash: Some(new) });
    }

    /// Notes the folders that have to be made for a path, so that they go again if the commit is taken back.
    fn need_folders(&mut self, root: &Root, path: &RelPath) -> Result<(), FileError> {
        let mut missing = Vec::new();
        let mut folder = path.parent();
        while let Some(path) = folder {
            if root.look(&path).map_err(FileError::at("write", &path))?.is_some() {
                break;
            }
            folder = path.parent();
            missing.push(path);
        }
        for path in missing.into_iter().rev() {
            if self.known_folders.insert(path.clone()) {
                self.folders.push(path);
            }
        }
        Ok(())
    }
}

/// The path that is really written: where a link at that place points to, if that is inside.
fn name_once(root: &Root, place: &RelPath, named: &mut BTreeSet<RelPath>) -> Result<RelPath, CommitError> {
    let path = root.resolve_link(place).map_err(FileError::at("write", place))?;
    refuse_git(&path, "write")?;
    // After the commit point it would be too late to find out.
    root.admits_writes(&path).map_err(FileError::at("write", &path))?;
    if named.insert(path.clone()) { Ok(path) } else { Err(CommitError::Twice { path }) }
}

/// Git's own files by their name; where links lead is looked at when the folder is opened.
fn refuse_git(path: &RelPath, doing: &'static str) -> Result<(), FileError> {
    if path.is_in_git() { Err(FileError::at(doing, path)(OfGit.into())) } else { Ok(()) }
}

pub(super) fn look(root: &Root, path: &RelPath) -> Result<Option<(ContentHash, Attributes)>, CommitError> {
    match present(root, path).map_err(FileError::at("write", path))? {
        Present::Nothing => Ok(None),
        Present::File(hash, attributes) => Ok(Some((hash, attributes))),
        Present::TooLarge => Err(FileError::at("write", path)(too_large()).into()),
        Present::Other => Err(CommitError::Exists { path: path.clone() }),
    }
}

pub(super) fn require(
    path: &RelPath,
    now: Option<(ContentHash, Attributes)>,
    expect: Expect,
) -> Result<(), CommitError> {
    let path = || path.clone();
    match (expect, now) {
        (Expect::Any, _) | (Expect::Absent, None) => Ok(()),
        (Expect::Absent, Some(_)) => Err(CommitError::Exists { path: path() }),
        (Expect::Hash(_), None) => Err(CommitError::Gone { path: path() }),
        (Expect::Hash(seen), Some((hash, _))) if hash == seen => Ok(()),
        (Expect::Hash(_), Some(_)) => Err(CommitError::Changed { path: path() }),
    }
}

pub(super) fn require_movable(root: &Root, from: &RelPath, to: &RelPath) -> Result<(), CommitError> {
    refuse_git(from, "move")?;
    refuse_git(to, "move")?;
    let look = |path| root.look(path).map_err(FileError::at("move", path));
    // After the commit point it would be too late to find out.
    for path in [from, to] {
        root.admits_writes(path).map_err(FileError::at("move", path))?;
    }
    manifest::admits_removal_of(root, from).map_err(FileError::at("move", from))?;
    match (look(from)?, look(to)?) {
        (Some(_), None) => Ok(()),
        (None, _) => Err(CommitError::Gone { path: from.clone() }),
        (_, Some(_)) => Err(CommitError::Exists { path: to.clone() }),
    }
}

/// Whether a folder still holds what was seen in it.
pub(super) fn require_same(root: &Root, path: &RelPath, seen: ContentHash) -> Result<(), CommitError> {
    refuse_git(path, "delete")?;
    root.admits_writes(path).map_err(FileError::at("delete", path))?;
    manifest::admits_removal_of(root, path).map_err(FileError::at("delete", path))?;
    match manifest::read(root, path).map_err(FileError::at("delete", path))? {
        Some(manifest) if manifest.hash == seen => Ok(()),
        Some(_) => Err(CommitError::Changed { path: path.clone() }),
        None => Err(CommitError::Gone { path: path.clone() }),
    }
}
