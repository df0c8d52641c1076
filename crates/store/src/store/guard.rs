//! What the holder of the write lock may do: read without waiting, and commit.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::{Inner, Reads, Store};
use crate::beneath::Root;
use crate::commit::{CommitError, Committed, Edit, Transaction, can_share, commit};
use crate::context::Context;
use crate::error::FileError;
use crate::layout::DocFolder;
use crate::lock::Held;
use crate::path::RelPath;

/// The write lock of a workspace. It derefs to the store as its holder reads it: what the next commit is measured against.
#[derive(Debug)]
pub struct WriteGuard {
    store: Store,
    /// The store's are these: dropped with the lock, after which it reads as everybody does.
    reads: Arc<Reads>,
    /// Until it is dropped.
    held: Option<Held>,
}

impl Deref for WriteGuard {
    type Target = Store;
    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        // Before the lock goes to somebody else: from then on nobody reads for this holder.
        self.store.reads = Weak::new();
        self.reads = Arc::default();
        if let Some(held) = self.held.take() {
            self.store.inner.leave(held);
        }
    }
}

impl WriteGuard {
    pub(super) fn new(inner: &Arc<Inner>, held: Held) -> Self {
        let reads = Arc::default();
        let store = Store { inner: Arc::clone(inner), reads: Arc::downgrade(&reads) };
        Self { store, reads, held: Some(held) }
    }

    pub(crate) fn root(&self) -> &Root {
        &self.store.inner.root
    }

    /// What lock, journal and logs are below.
    pub(crate) fn state_root(&self) -> &Root {
        self.store.inner.state_root()
    }

    /// Creates a folder and the ones above it; says whether it is new.
    pub fn create_folder(&self, folder: &DocFolder) -> Result<bool, FileError> {
        if self.has_folder(folder) {
            return Ok(false);
        }
        let path = folder.path();
        self.store.inner.root.make_dirs(path).map_err(FileError::at("create", path))?;
        Ok(true)
    }

    /// Removes the records that this machine does not believe, with what came with them, and what nobody needs any more,
    /// protected or not. Returns the paths of the records, and how many other folders that were.
    pub fn tidy_journal(&self, context: &Context) -> Result<(Vec<RelPath>, usize), FileError> {
        let journal = self.store.inner.journal(context);
        Ok((journal.discard_distrusted()?, journal.remove_leftovers()?))
    }

    /// Changes several documents together, or none of them. Every document that was read under this lock has to be what it
    /// was then.
    pub fn commit(&self, context: &Context, transaction: Transaction) -> Result<Committed, CommitError> {
        let edits = self.edits(transaction)?;
        self.commit_alone(context, &edits)
    }

    /// The same as the last thing that is done under this lock, together with others that wait for it: they share what
    /// makes a commit durable, and each is told when it is.
    pub fn finish(self, context: &Context, transaction: Transaction) -> Result<Committed, CommitError> {
        let inner = Arc::clone(&self.store.inner);
        let edits = self.edits(transaction)?;
        let has_company = inner.group.is_open() || inner.lock.is_wanted();
        if !has_company || !can_share(&edits) {
            return self.commit_alone(context, &edits);
        }
        let ticket = inner.join(context, edits)?;
        drop(self);
        let committed = inner.wait_for(&ticket)?;
        context.note_committed(&committed.changes);
        Ok(committed)
    }

    fn commit_alone(&self, context: &Context, edits: &[Edit<RelPath>]) -> Result<Committed, CommitError> {
        self.store.inner.carry_out_group(context)?;
        let committed = commit(context, &self.store.inner.root, &self.store.inner.journal(context), edits)?;
        context.note_committed(&committed.changes);
        Ok(committed)
    }

    fn edits(&self, transaction: Transaction) -> Result<Vec<Edit<RelPath>>, CommitError> {
        let mut edits = self.store.placed(transaction)?;
        edits.extend(self.reads.take());
        Ok(edits)
    }
}
