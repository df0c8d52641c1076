//! Makes a workspace of a folder. What is already there stays as it is.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::commit::{CommitError, Expect, Transaction};
use crate::context::Context;
use crate::disk;
use crate::error::FileError;
use crate::layout::{DocKey, InitPlan};
use crate::lock::LockError;
use crate::store::Store;

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
    /// Makes a new workspace. Files that are already there are left as they are.
    pub fn init(context: &Context, plan: &InitPlan) -> Result<Self, InitError> {
        let store = Self::open(plan.layout.clone())?;
        let guard = store.lock(context)?;
        for folder in &plan.folders {
            guard.create_folder(folder)?;
        }
        let missing = plan.files.iter().filter(|(path, _)| !path.under(plan.layout.root()).exists());
        let mut transaction = Transaction::new();
        for (path, text) in missing {
            transaction.put(DocKey::File(path.clone()), text.as_str(), Expect::Absent);
        }
        guard.commit(context, transaction)?;
        drop(guard);
        Ok(store)
    }

    /// Makes sure that a folder is there to become a workspace root, and gives its real path.
    pub fn make_root(path: &Path) -> Result<PathBuf, FileError> {
        let made = disk::create_root(path).and_then(|()| fs_err::canonicalize(path));
        made.map_err(FileError::at_path("create", path))
    }
}
