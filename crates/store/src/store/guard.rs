//! What the holder of the write lock may do: read without waiting, and commit.

use std::sync::Arc;

use hewto_core::id::SpecId;

use super::Inner;
use crate::beneath::Root;
use crate::commit::{CommitError, Committed, Edit, Expect, Transaction, can_share, commit};
use crate::context::Context;
use crate::doc::{Doc, ReadError};
use crate::error::FileError;
use crate::layout::{DocKey, Layout};
use crate::lock::Held;
use crate::manifest::{self, Manifest};
use crate::path::RelPath;
use crate::snapshot::{Snapshot, SpecEntry};
use crate::tree;

/// The write lock of a workspace. Reading through it sees what the next commit is measured against.
#[derive(Debug)]
pub struct WriteGuard<'a> {
    pub(super) inner: &'a Inner,
    /// Until it is dropped.
    held: Option<Held>,
}

impl<'a> WriteGuard<'a> {
    pub(super) fn new(inner: &'a Inner, held: Held) -> Self {
        Self { inner, held: Some(held) }
    }
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.inner.leave(held);
        }
    }
}

impl WriteGuard<'_> {
    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    pub fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.inner.snapshot(context, &self.inner.view())
    }

    pub fn entry(&self, context: &Context, id: &SpecId) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        self.inner.entry(context, &self.inner.view(), id)
    }

    pub fn read(&self, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        self.inner.read(&self.inner.view(), key)
    }

    /// Everything that a folder holds; `None` when there is no such folder.
    pub fn manifest(&self, folder: &RelPath) -> Result<Option<Manifest>, ReadError> {
        Ok(manifest::read(&self.inner.view(), folder).map_err(FileError::at("read", folder))?)
    }

    /// The names of the files in a folder, sorted; none when there is no such folder.
    pub fn file_names(&self, folder: &RelPath) -> Result<Vec<String>, ReadError> {
        tree::file_names(&self.inner.view(), folder)
    }

    pub(crate) fn root(&self) -> &Root {
        &self.inner.root
    }

    /// What lock, journal and logs are below.
    pub(crate) fn state_root(&self) -> &Root {
        self.inner.state_root()
    }

    /// Creates a folder and the ones above it; says whether it is new.
    pub fn create_folder(&self, path: &RelPath) -> Result<bool, FileError> {
        if self.inner.locate(|locator| locator.stands(path)) {
            return Ok(false);
        }
        self.inner.root.make_dirs(path).map_err(FileError::at("create", path))?;
        Ok(true)
    }

    /// Removes the records that this machine does not believe, with what came with them. Returns their paths.
    pub fn discard_distrusted(&self, context: &Context) -> Result<Vec<RelPath>, FileError> {
        self.inner.journal(context).discard_distrusted()
    }

    /// Removes what nobody needs any more from the journal, protected or not. Returns how many folders that were.
    pub fn remove_leftovers(&self, context: &Context) -> Result<usize, FileError> {
        self.inner.journal(context).remove_leftovers()
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
        let inner = self.inner;
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
        self.inner.carry_out_group(context)?;
        let committed = commit(context, &self.inner.root, &self.inner.journal(context), edits)?;
        context.note_committed(&committed.changes);
        Ok(committed)
    }

    fn edits(&self, transaction: Transaction) -> Result<Vec<Edit<RelPath>>, CommitError> {
        let mut edits = self.inner.placed(transaction)?;
        let reads = self.inner.take_reads();
        edits.extend(
            reads.into_iter().map(|(place, seen)| Edit::Require {
                place,
                expect: seen.map_or(Expect::Absent, Expect::Hash),
            }),
        );
        Ok(edits)
    }
}
