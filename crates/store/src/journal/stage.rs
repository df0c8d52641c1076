//! The contents of a commit before it counts: written into the folder of its transaction, and made durable with its record.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::Mode;
use uuid::Uuid;

use super::record::{Blob, Record};
use super::recover::Pending;
use super::{DRAFT, Journal, open_tx, remove_tx};
use crate::disk;
use crate::doc::{MAX_OWN_BYTES, too_large_to_be_own};
use crate::error::FileError;

/// How many files of a commit are open at a time.
const MOST_OPEN: usize = 64;

/// A transaction whose contents are being written.
#[derive(Debug)]
pub(crate) struct Stage {
    journal: OwnedFd,
    folder: OwnedFd,
    tx: Uuid,
    /// Several are written before any is synced: the file system can then sync them together. All at once would take more
    /// open files than a process may have.
    unsynced: Vec<(File, String)>,
    /// Whether some of them could not be synced: asked again, the system might say that they were.
    is_spoilt: bool,
}

/// A transaction whose contents are durable, and its record where it has to be, but that does not count yet.
pub(crate) struct Staged {
    pub(super) journal: OwnedFd,
    pub(super) folder: OwnedFd,
    record: Record,
}

impl Journal<'_> {
    /// Writes contents and record, complete and durable, where nobody looks for them yet.
    pub(crate) fn stage(&self, record: Record, blobs: &[Blob<'_>]) -> Result<Staged, FileError> {
        let mut stage = self.begin(record.tx)?;
        for blob in blobs {
            if let Err(error) = stage.add(blob) {
                stage.discard();
                return Err(FileError::at("write the journal", self.path)(error));
            }
        }
        self.seal(stage, record)
    }

    /// Makes the folder of a transaction. What is in it counts only once its record is published. A commit that the holder of
    /// the lock could not finish, or not close, is finished before the next begins.
    pub(crate) fn begin(&self, tx: Uuid) -> Result<Stage, FileError> {
        if self.has_record() {
            match self.pending() {
                Pending::Ours(record) => self.finish(&record)?,
                Pending::Unknown(error) => return Err(error),
                Pending::Lapsed(record) => self.clear_lapsed(record.as_deref())?,
                Pending::Nothing | Pending::Distrusted(_) => {}
            }
        }
        let name = tx.to_string();
        let begin = || -> io::Result<Stage> {
            let journal = self.home.make_real_dirs(self.path)?;
            let made =
                disk::create_dir(journal.as_fd(), name.as_str()).and_then(|_| open_tx(&journal, &name));
            match made {
                Ok(folder) => Ok(Stage { journal, folder, tx, unsynced: Vec::new(), is_spoilt: false }),
                Err(error) => {
                    let _ = remove_tx(&journal, &name);
                    Err(error)
                }
            }
        };
        begin().map_err(FileError::at("write the journal", self.path))
    }

    /// Writes the record of what is staged and makes all of it durable that has to be.
    pub(crate) fn seal(&self, mut stage: Stage, record: Record) -> Result<Staged, FileError> {
        let seal = |stage: &mut Stage| -> io::Result<()> {
            if stage.is_spoilt {
                return Err(io::Error::other("some of the texts could not be made durable"));
            }
            let text = record.sealed(&self.machine.key(), self.root_path()).map_err(io::Error::other)?;
            if text.len() as u64 > MAX_OWN_BYTES.unsigned_abs() {
                // Nobody would read it again.
                return Err(too_large_to_be_own());
            }
            let draft = Blob { name: DRAFT.to_owned(), bytes: &text, like: None };
            let file = write_blob(&stage.folder, &draft)?;
            let mut unsynced = std::mem::take(&mut stage.unsynced);
            if !record.is_durable() {
                return disk::sync_all(&unsynced, &[]);
            }
            unsynced.push((file, draft.name));
            // Its names were made before, so that folder and contents can be synced together.
            disk::sync_all(&unsynced, &[(stage.folder.as_fd(), "tx")])
        };
        match seal(&mut stage) {
            Ok(()) => Ok(Staged { journal: stage.journal, folder: stage.folder, record }),
            Err(error) => {
                // What was staged does not count; the next holder of the lock removes what cannot be removed now.
                stage.discard();
                Err(FileError::at("write the journal", self.path)(error))
            }
        }
    }
}

impl Stage {
    /// Writes a content. It is durable when the record is sealed.
    pub(crate) fn add(&mut self, blob: &Blob<'_>) -> io::Result<()> {
        if self.unsynced.len() == MOST_OPEN {
            // They may belong to several commits.
            disk::sync_all(&std::mem::take(&mut self.unsynced), &[])
                .inspect_err(|_| self.is_spoilt = true)?;
        }
        let file = write_blob(&self.folder, blob)?;
        self.unsynced.push((file, blob.name.clone()));
        Ok(())
    }

    pub(crate) fn tx(&self) -> Uuid {
        self.tx
    }

    /// The transaction's open folder.
    pub(crate) fn slots(&self) -> &OwnedFd {
        &self.folder
    }

    /// Takes back what was staged; the next holder of the lock removes what cannot be removed now.
    pub(crate) fn discard(self) {
        let _ = remove_tx(&self.journal, &self.tx.to_string());
    }
}

impl Staged {
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Takes back what was staged; the next holder of the lock removes what cannot be removed now.
    pub(crate) fn discard(self) {
        let _ = remove_tx(&self.journal, &self.record.tx.to_string());
    }
}

pub(super) fn write_blob(folder: &OwnedFd, blob: &Blob<'_>) -> io::Result<File> {
    let file = disk::create_file(folder.as_fd(), blob.name.as_str())?;
    disk::write(&file, &blob.name, blob.bytes)?;
    if let Some(like) = blob.like {
        let stat = rustix::fs::fstat(&file)?;
        if (stat.st_uid, stat.st_gid) != (like.owner.as_raw(), like.group.as_raw()) {
            disk::set_owner(&file, &blob.name, like.owner, like.group)?;
        }
        if Mode::from_raw_mode(stat.st_mode) != like.mode {
            disk::set_mode(&file, &blob.name, like.mode)?;
        }
    }
    Ok(file)
}
