//! Makes a workspace of a folder, or adds to one: everything together, or nothing at all.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::commit::{CommitError, Committed, Transaction};
use crate::context::Context;
use crate::disk;
use crate::error::FileError;
use crate::lock::LockError;
use crate::path::RelPath;
use crate::store::{Store, WriteGuard};

/// Why a workspace was not made.
#[derive(Debug, Error)]
pub enum InitError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl InitError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File(error) => error.hint(),
            Self::Lock(error) => error.hint(),
            Self::Commit(error) => error.hint(),
        }
    }
}

impl Store {
    /// Commits the files of a workspace to be and makes its folders. When nothing was committed, and no machine's part
    /// was there before, none is left behind either.
    pub fn found(
        &self,
        context: &Context,
        transaction: Transaction,
        folders: &[RelPath],
    ) -> Result<Committed, InitError> {
        let is_new = !self.machine().stands_state();
        let guard = self.lock(context)?;
        match guard.commit(context, transaction) {
            Ok(committed) => {
                for folder in folders {
                    guard.create_folder(&folder.clone().into())?;
                }
                Ok(committed)
            }
            Err(error) => {
                if is_new && !matches!(error, CommitError::Unfinished(_)) {
                    forget(guard);
                }
                Err(error.into())
            }
        }
    }

    /// Makes sure that a folder is there to become a workspace root, and gives its real path.
    pub fn make_root(path: &Path) -> Result<PathBuf, FileError> {
        let made = disk::create_root(path).and_then(|()| fs_err::canonicalize(path));
        made.map_err(FileError::at_path("create", path))
    }
}

fn forget(guard: WriteGuard) {
    if let Err(error) = guard.dismantle() {
        // The failure that led here is the one to tell.
        tracing::debug!(%error, "the machine's part of a workspace that was not made is left");
    }
}
