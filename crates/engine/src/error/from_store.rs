//! How the store's failures look to whoever called.

use hewto_core::interrupt::Interrupted;
use hewto_store::{CommitError, DiscoverError, FileError, InitError, LockError, ReadError};
use serde_json::json;

use super::{Error, Key, Kind};

impl From<Interrupted> for Error {
    fn from(error: Interrupted) -> Self {
        match error {
            Interrupted::Cancelled => Self::new(Kind::Machine, Key::Cancelled, "the call was cancelled")
                .hint("nothing was changed; call again if it is still wanted"),
            Interrupted::TimedOut => Self::new(Kind::Machine, Key::Timeout, "the call ran out of time")
                .hint("nothing was changed; try again, or ask for less at once"),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::new(Kind::Machine, Key::IoError, format!("cannot {}: `{}`", error.doing, error.path))
            .detail("file", error.path.as_str())
            .hint(error.hint())
            .caused_by(error.source)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Interrupted(why) => why.into(),
            ReadError::File(error) => error.into(),
            ReadError::Locked(error) => error.into(),
            ReadError::NotUtf8 { ref path, offset } => {
                Self::new(Kind::Refused, Key::DocumentUnreadable, error.to_string())
                    .detail("file", path.as_str())
                    .detail("offset", offset)
                    .hint(error.hint())
            }
        }
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Self {
        let hint = error.hint();
        match error {
            LockError::Interrupted(why) => why.into(),
            LockError::File(error) => error.into(),
            LockError::Busy { ref holder } => {
                let busy = Self::new(Kind::Machine, Key::WorkspaceBusy, error.to_string()).hint(hint);
                match holder {
                    Some(holder) => busy.detail("holder", json!(holder)),
                    None => busy,
                }
            }
            LockError::Unfinished(_) => {
                Self::new(Kind::Machine, Key::IoError, "an earlier write could not be finished")
                    .hint(hint)
                    .caused_by(error)
            }
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        let hint = error.hint();
        match error {
            CommitError::Interrupted(why) => why.into(),
            CommitError::File(error) => error.into(),
            CommitError::Exists { ref path }
            | CommitError::Gone { ref path }
            | CommitError::Changed { ref path }
            | CommitError::Stranded { ref path } => {
                Self::new(Kind::Refused, Key::Conflict, error.to_string())
                    .detail("file", path.as_str())
                    .hint(hint)
            }
            CommitError::Twice { .. } => Self::new(Kind::Machine, Key::InternalError, error.to_string()),
            CommitError::Homeless { ref id } => {
                Self::invalid_argument("spec_id", "an id that this workspace can hold", error.to_string())
                    .detail("spec_id", id.as_str())
                    .hint(hint)
            }
            CommitError::Unfinished(_) => {
                Self::new(Kind::Machine, Key::IoError, "the change is recorded but not yet in place")
                    .hint(hint)
                    .caused_by(error)
            }
        }
    }
}

impl From<InitError> for Error {
    fn from(error: InitError) -> Self {
        match error {
            InitError::File(error) => error.into(),
            InitError::Lock(error) => error.into(),
            InitError::Commit(error) => error.into(),
        }
    }
}

impl From<DiscoverError> for Error {
    fn from(error: DiscoverError) -> Self {
        let hint = error.hint();
        Self::new(Kind::Refused, Key::WorkspaceNotFound, error.to_string()).hint(hint)
    }
}
