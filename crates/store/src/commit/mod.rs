//! A commit: several files change together, if they still are what the caller has seen (D-8).
//!
//! The caller holds the write lock. Preconditions are looked at before the contents are staged and again before the
//! commit point; the context is looked at for the last time there. After it the answer is success, even when late.

mod carry_out;
mod group;
mod prepare;
mod ticket;
mod verify;

use hewto_core::interrupt::Interrupted;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use self::carry_out::commit;
pub(crate) use self::group::{Group, can_share};
pub(crate) use self::prepare::rehearse;
pub(crate) use self::ticket::Ticket;
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::layout::{DocFolder, DocKey, LayoutKind};
use crate::path::RelPath;

/// What a commit is to do, in order.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub(crate) home: LayoutKind,
    pub(crate) edits: Vec<Edit>,
}

/// What has to stand at a path for the commit to go ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Absent,
    /// Exactly the text that was read.
    Hash(ContentHash),
    /// Whatever is there.
    Any,
}

#[derive(Debug, Clone)]
pub(crate) enum Edit<At = DocKey> {
    Put {
        place: At,
        bytes: Vec<u8>,
        expect: Expect,
    },
    Delete {
        place: At,
        expect: Expect,
    },
    MoveDir {
        from: RelPath,
        to: RelPath,
    },
    DeleteDir {
        path: RelPath,
        seen: ContentHash,
    },
    /// Writes nothing: what was read there led to the other edits.
    Require {
        place: At,
        expect: Expect,
    },
}

/// What a commit did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Committed {
    /// In the order of the transaction; files that already had their new text are left out.
    pub changes: Vec<Change>,
}

/// What happened to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: RelPath,
    pub action: Action,
    /// The hash of the new text; `None` when there is none.
    pub hash: Option<ContentHash>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Created,
    Modified,
    Deleted,
    /// A folder was moved here.
    Moved,
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Moved => "moved",
        }
    }
}

/// Why nothing was committed, except for [`CommitError::Unfinished`] and [`CommitError::Stranded`].
#[derive(Debug, Error)]
pub enum CommitError {
    #[error("already there: `{path}`")]
    Exists { path: RelPath },
    #[error("no longer there: `{path}`")]
    Gone { path: RelPath },
    #[error("changed by someone else: `{path}`")]
    Changed { path: RelPath },
    #[error("named twice in one commit: `{path}`")]
    Twice { path: RelPath },
    #[error("`{id}` has no place in this workspace")]
    Homeless { id: String },
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    File(#[from] FileError),
    /// Only where it could not be taken back.
    #[error("changed by someone else in the middle of the commit: `{path}`; the rest is written")]
    Stranded { path: RelPath },
    #[error("the change is recorded but not yet in place")]
    Unfinished(#[source] FileError),
}

impl CommitError {
    /// The same failure for another call that it befell as well.
    pub(crate) fn told_again(&self) -> Self {
        match self {
            Self::Exists { path } | Self::Gone { path } | Self::Changed { path } | Self::Twice { path } => {
                Self::Changed { path: path.clone() }
            }
            Self::Homeless { id } => Self::Homeless { id: id.clone() },
            Self::Interrupted(why) => Self::Interrupted(*why),
            Self::File(error) => Self::File(error.told_again()),
            Self::Stranded { path } => Self::Stranded { path: path.clone() },
            Self::Unfinished(error) => Self::Unfinished(error.told_again()),
        }
    }

    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name, or read what is there",
            Self::Gone { .. } | Self::Changed { .. } => {
                "read it again and repeat the call; nothing was written"
            }
            Self::Twice { .. } => "put each file into a commit once",
            Self::Homeless { .. } => "use a name without folders, `.` or `_` in front",
            Self::Interrupted(_) => "try again, with more time if the workspace is busy; nothing was written",
            Self::File(error) => error.hint(),
            Self::Stranded { .. } => {
                "run `hewto validate`: the text that was meant for it waits in the journal"
            }
            Self::Unfinished(_) => {
                "free the disk or the files; the next write finishes the change or takes it back, and `hewto doctor` tells"
            }
        }
    }
}

impl Transaction {
    pub fn new() -> Self {
        Self { home: LayoutKind::Native, edits: Vec::new() }
    }

    /// A transaction whose new specs and changes go to the root of this layout, if the workspace has it.
    pub fn at_home(home: LayoutKind) -> Self {
        Self { home, edits: Vec::new() }
    }

    /// Writes a whole document.
    pub fn put(&mut self, key: DocKey, text: impl Into<Vec<u8>>, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Put { place: key, bytes: text.into(), expect });
        self
    }

    /// Removes a document.
    pub fn delete(&mut self, key: DocKey, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Delete { place: key, expect });
        self
    }

    /// Goes ahead only if a document that was read for a decision still is what it was. It is not written.
    pub fn require(&mut self, key: DocKey, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Require { place: key, expect });
        self
    }

    /// Moves a folder to a place where nothing stands. Documents inside it are edited before, by their old path.
    pub fn move_dir(&mut self, from: &DocFolder, to: &DocFolder) -> &mut Self {
        self.edits.push(Edit::MoveDir { from: from.path().clone(), to: to.path().clone() });
        self
    }

    /// Removes a folder with everything in it, if it still holds exactly what its manifest says.
    pub fn delete_dir(&mut self, folder: &DocFolder, seen: ContentHash) -> &mut Self {
        self.edits.push(Edit::DeleteDir { path: folder.path().clone(), seen });
        self
    }
}

impl Default for Transaction {
    fn default() -> Self {
        Self::new()
    }
}
