//! The machine's part of a workspace: its own files, the lock and the journal, as others ask about them.

use std::io;
use std::path::PathBuf;

use super::{Inner, Store};
use crate::context::Context;
use crate::doc::ReadError;
use crate::error::FileError;
use crate::journal::{Distrust, Pending, StrandedWrite};
use crate::layout::{DocFolder, LocalFolder, LocalKey};
use crate::lock::{self, LockError, LockState, StateGuard};
use crate::path::RelPath;
use crate::state_file::{self, Lasting};
use crate::{state_dir, tree};

/// What lies in the journal and waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRemains {
    /// Writes that were left undone because somebody else changed the file.
    pub stranded: Vec<StrandedWrite>,
    /// Records that this machine does not believe, each with the reason. They are never carried out.
    pub distrusted: Vec<(RelPath, Distrust)>,
    /// Folders that nobody needs and that could not be removed.
    pub leftovers: Vec<RelPath>,
}

impl Store {
    /// Whether the folder of the workspace is still there, and no other has taken its place.
    pub fn is_in_place(&self) -> bool {
        self.inner.root.is_in_place()
    }

    /// What belongs to this machine and not to the project.
    pub fn machine(&self) -> Machine<'_> {
        Machine { inner: &self.inner }
    }
}

/// The machine's part of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'s> {
    inner: &'s Inner,
}

impl Machine<'_> {
    /// A folder of the machine's part on disk.
    pub fn folder(self, folder: &DocFolder) -> PathBuf {
        folder.under(self.inner.layout.state_root())
    }

    /// A path of the machine's part as people see it: from the root of the workspace, whole where it lies outside of it.
    pub fn shown(self, path: &RelPath) -> String {
        let layout = &self.inner.layout;
        let path = path.under(layout.state_root());
        path.strip_prefix(layout.root()).unwrap_or(&path).display().to_string()
    }

    /// The same for all of it.
    pub fn shown_home(self) -> String {
        format!("{}/", self.shown(&self.inner.layout.places().state))
    }

    /// The files in a folder that belongs to the machine, sorted.
    pub fn local_keys(self, folder: LocalFolder) -> Result<Vec<LocalKey>, ReadError> {
        let names = tree::file_names(self.inner.state_root(), &self.inner.layout.local_folder(folder))?;
        Ok(names.into_iter().map(|name| LocalKey::In(folder, name)).collect())
    }

    /// The folder of the search index on disk, which may not be there yet.
    pub fn search_index(self) -> PathBuf {
        self.inner.layout.search_index()
    }

    /// Makes the folder of the search index, for whoever writes into it, and returns its path on disk.
    pub fn make_search_index(self) -> Result<PathBuf, FileError> {
        let layout = &self.inner.layout;
        let path = &layout.places().search_index;
        state_dir::ensure(self.inner.state_root(), layout.places())
            .and_then(|_| self.inner.state_root().make_real_dirs(path))
            .map_err(FileError::at("create", path))?;
        Ok(layout.search_index())
    }

    /// The bytes of a file that belongs to the machine; `None` when it is not there.
    pub fn read_local(self, key: &LocalKey) -> Result<Option<Vec<u8>>, FileError> {
        match self.inner.layout.local(key) {
            Some(path) => state_file::read(self.inner.state_root(), &path),
            None => Ok(None),
        }
    }

    /// Writes a file that belongs to the machine, whole. Nobody waits for the disk where it can be made again.
    pub fn write_local(self, key: &LocalKey, bytes: &[u8]) -> Result<(), FileError> {
        let (home, places) = (self.inner.state_root(), self.inner.layout.places());
        let path = self.local(key)?;
        let lasting = if key.is_derived() { Lasting::Whenever } else { Lasting::Synced };
        state_file::write(home, places, &path, bytes, lasting)
    }

    /// Removes a file that belongs to the machine; one that is not there is fine.
    pub fn remove_local(self, key: &LocalKey) -> Result<(), FileError> {
        match self.inner.layout.local(key) {
            Some(path) => state_file::remove(self.inner.state_root(), &path),
            None => Ok(()),
        }
    }

    /// Keeps everybody else from what a file of the machine's part stands for, while the guard is held.
    pub fn lock_local(self, context: &Context, key: &LocalKey) -> Result<StateGuard, LockError> {
        let path = self.local(key)?;
        StateGuard::acquire(context, self.inner.state_root(), self.inner.layout.places(), &path)
    }

    /// Where a file that belongs to the machine stands, as people see it.
    pub fn local_path(self, key: &LocalKey) -> Option<String> {
        self.inner.layout.local(key).map(String::from)
    }

    fn local(self, key: &LocalKey) -> Result<RelPath, FileError> {
        let nameless = || io::Error::new(io::ErrorKind::InvalidFilename, "it cannot have such a name");
        let unnamed = || FileError { doing: "write", path: format!("{key:?}"), source: nameless() };
        self.inner.layout.local(key).ok_or_else(unnamed)
    }

    /// Whether the machine's part of the workspace has been made.
    pub fn stands_state(self) -> bool {
        self.inner.state_root().look(&self.inner.layout.places().state).is_ok_and(|stat| stat.is_some())
    }

    /// Whether a write of this machine was interrupted after its commit point and waits for the next holder of the lock.
    pub fn is_interrupted(self, context: &Context) -> bool {
        matches!(self.inner.journal(context).pending(), Pending::Ours(_))
    }

    /// What lies in the journal and waits for a person.
    pub fn journal_remains(self, context: &Context) -> Result<JournalRemains, ReadError> {
        let journal = self.inner.journal(context);
        let failed = || FileError::at("read the journal", &self.inner.layout.places().journal);
        Ok(JournalRemains {
            stranded: journal.stranded().map_err(failed())?,
            distrusted: journal.distrusted().map_err(failed())?,
            leftovers: journal.leftovers().map_err(failed())?,
        })
    }

    /// Whether somebody holds the lock now, and who, as far as the lock file says.
    pub fn tenure(self) -> Result<LockState, FileError> {
        lock::tenure(self.inner.state_root(), self.inner.layout.places())
    }

    /// Whether a file of the machine's part can be written, as far as can be told without writing it.
    pub fn check_writable(self, path: &RelPath) -> Result<(), FileError> {
        self.inner.state_root().admits_file(path).map_err(FileError::at("write", path))
    }

    /// Whether names can be made in the folder that this path of the machine's part stands in.
    pub fn check_writable_folder(self, path: &RelPath) -> Result<(), FileError> {
        self.inner.state_root().admits_writes(path).map_err(FileError::at("write", path))
    }
}
