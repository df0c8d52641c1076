//! What the journal writes down: the record of a commit, and the writes that could not be done.

use rustix::fs::Mode;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::hash::ContentHash;
use crate::path::RelPath;

/// The version of the record that this code writes and reads.
pub(super) const VERSION: u32 = 1;

/// What a commit does, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(super) version: u32,
    pub(crate) tx: Uuid,
    pub(crate) operation: String,
    pub(crate) at: String,
    pub(crate) steps: Vec<Step>,
}

/// One thing that a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Step {
    Put {
        path: RelPath,
        old: Option<ContentHash>,
        new: ContentHash,
        blob: String,
    },
    Delete {
        path: RelPath,
        old: ContentHash,
    },
    MoveDir {
        from: RelPath,
        to: RelPath,
    },
    /// `old` is the hash of the folder's manifest.
    DeleteDir {
        path: RelPath,
        old: ContentHash,
    },
}

/// A write that was left undone because somebody else changed the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrandedWrite {
    /// The file that was left alone.
    pub path: RelPath,
    /// Where the text that was meant for it waits, if there is one.
    pub kept: Option<RelPath>,
    /// The operation that wanted to write.
    pub operation: String,
    pub at: String,
}

/// The content of a file to be, before it is staged.
pub(crate) struct Blob<'a> {
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
    /// The permissions of the file that it replaces.
    pub(crate) mode: Option<Mode>,
}

impl Record {
    pub(crate) fn new(tx: Uuid, operation: &str, at: String, steps: Vec<Step>) -> Self {
        Self { version: VERSION, tx, operation: operation.to_owned(), at, steps }
    }

    /// Whether this could be a record of a commit. A journal may come with a repository that somebody else made;
    /// what it says must not reach git's own files.
    pub(super) fn is_ours(&self) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Put { path, blob, .. } => !path.is_in_git() && !blob.contains('/'),
            Step::Delete { path, .. } | Step::DeleteDir { path, .. } => !path.is_in_git(),
            Step::MoveDir { from, to } => !from.is_in_git() && !to.is_in_git(),
        })
    }
}
