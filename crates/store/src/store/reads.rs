//! What the holder of the lock has read for the decision that it is about to commit.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::commit::{Edit, Expect};
use crate::doc::Doc;
use crate::hash::ContentHash;
use crate::path::RelPath;

/// Lives as long as the lock is held: whoever reads for its holder notices by it when that is over.
#[derive(Debug, Default)]
pub(super) struct Reads(Mutex<BTreeMap<RelPath, Option<ContentHash>>>);

impl Reads {
    /// Remembers what a document was when it was first looked at.
    pub(super) fn note(&self, path: RelPath, doc: Option<&Doc>) {
        self.seen().entry(path).or_insert(doc.map(|doc| doc.hash));
    }

    /// Everything that was read since the lock was taken or since the last commit, as conditions of the next.
    pub(super) fn take(&self) -> impl Iterator<Item = Edit<RelPath>> + use<> {
        let seen = std::mem::take(&mut *self.seen());
        seen.into_iter()
            .map(|(place, seen)| Edit::Require { place, expect: seen.map_or(Expect::Absent, Expect::Hash) })
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<RelPath, Option<ContentHash>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
