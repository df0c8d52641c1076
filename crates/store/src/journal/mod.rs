//! The journal: what makes a commit of several files all or nothing (D-8).
//!
//! New contents wait in `journal/<tx>/`. The commit point is the rename of a complete, durable [`Record`] to
//! `journal/pending`; from then on [`Journal::apply`] puts every file in its place, now or after a crash
//! ([`Journal::recover`]). Only the holder of the write lock comes here, so there is never more than one record.

mod record;
mod recover;

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags};

pub use self::record::StrandedWrite;
pub(crate) use self::record::{Blob, Record, Step};
pub use self::recover::RecoverError;

use crate::beneath::Root;
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::layout::{JOURNAL_LAST, JOURNAL_PENDING};
use crate::manifest;
use crate::path::RelPath;
use crate::place::{Blobs, Left, put_in_place};
use crate::stamp::Stamp;

/// The record before it counts, inside its transaction's folder.
const DRAFT: &str = "record";
/// What could not be put in place, inside its transaction's folder.
const STRANDED: &str = "stranded.json";

#[derive(Debug)]
pub(crate) struct Journal<'a> {
    /// Where the files go.
    root: &'a Root,
    /// What the journal itself is below.
    home: &'a Root,
    path: &'a RelPath,
}

/// A transaction whose contents are durable but do not count yet.
pub(crate) struct Staged {
    journal: OwnedFd,
    folder: OwnedFd,
    record: Record,
}

impl<'a> Journal<'a> {
    pub(crate) fn new(root: &'a Root, home: &'a Root, path: &'a RelPath) -> Self {
        Self { root, home, path }
    }

    /// Whether a commit is under way or was interrupted; one system call.
    pub(crate) fn is_pending(&self) -> bool {
        let pending = format!("{}/{JOURNAL_PENDING}", self.path);
        rustix::fs::statat(self.home.fd(), pending, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Something that is different after every commit; one system call.
    pub(crate) fn last(&self) -> Option<Stamp> {
        let last = format!("{}/{JOURNAL_LAST}", self.path);
        let stat = rustix::fs::statat(self.home.fd(), last, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Stamp::of(&stat))
    }

    /// Writes contents and record, complete and durable, where nobody looks for them yet.
    pub(crate) fn stage(&self, record: Record, blobs: &[Blob<'_>]) -> Result<Staged, FileError> {
        let failed = || FileError::at("write the journal", self.path);
        let journal = self.home.make_dirs(self.path).map_err(failed())?;
        let name = record.tx.to_string();
        let write_all = || -> io::Result<OwnedFd> {
            disk::create_dir(journal.as_fd(), &name)?;
            let folder = open_tx(&journal, &name)?;
            let text = serde_json::to_vec(&record).map_err(io::Error::other)?;
            let draft = Blob { name: DRAFT.to_owned(), bytes: &text, mode: None };
            // All are written before any is synced: the file system can then sync them together.
            let mut files = Vec::with_capacity(blobs.len() + 1);
            for blob in blobs.iter().chain([&draft]) {
                files.push((write_blob(&folder, blob)?, blob.name.as_str()));
            }
            disk::sync_files(&files)?;
            disk::sync_dir(folder.as_fd(), "tx")?;
            Ok(folder)
        };
        match write_all() {
            Ok(folder) => Ok(Staged { journal, folder, record }),
            Err(error) => {
                // What was staged does not count; the next holder of the lock removes what cannot be removed now.
                let _ = remove_tx(&journal, &name);
                Err(failed()(error))
            }
        }
    }

    /// The commit point.
    pub(crate) fn publish(&self, staged: &Staged) -> Result<(), FileError> {
        let journal = staged.journal.as_fd();
        let from = (staged.folder.as_fd(), DRAFT);
        let publish = disk::rename(from, (journal, JOURNAL_PENDING), Onto::Nothing).and_then(|()| {
            // A record that may or may not be durable is taken back while nothing else has happened.
            disk::sync_dir(journal, "journal").or_else(|error| {
                disk::remove_file(journal, JOURNAL_PENDING)?;
                Err(error)
            })
        });
        publish.map_err(FileError::at("write the journal", self.path))
    }

    /// Puts everything that a published record says in its place. Returns what was left alone.
    pub(crate) fn apply(&self, record: &Record) -> Result<Vec<StrandedWrite>, FileError> {
        let folder = self.path.join(&record.tx.to_string()).expect("a transaction's name is a plain name");
        let left = put_in_place(self.root, Blobs { home: self.home, folder: &folder }, &record.steps)?;
        Ok(left.into_iter().map(|left| stranded_write(record, left)).collect())
    }

    /// Takes away a record that has been applied. Until then a crash only means that it is looked over again.
    pub(crate) fn close(&self, record: &Record, stranded: &[StrandedWrite]) -> Result<(), FileError> {
        self.try_close(&record.tx.to_string(), stranded)
            .map_err(FileError::at("close the journal", self.path))
    }

    fn try_close(&self, name: &str, stranded: &[StrandedWrite]) -> io::Result<()> {
        let journal = self.home.open_dir(Some(self.path))?;
        if !stranded.is_empty() {
            let folder = open_tx(&journal, name)?;
            let text = serde_json::to_vec(stranded).map_err(io::Error::other)?;
            let draft = format!("{STRANDED}.new");
            disk::remove_file(folder.as_fd(), &draft)?;
            let file = write_blob(&folder, &Blob { name: draft.clone(), bytes: &text, mode: None })?;
            disk::sync_file(&file, &draft)?;
            disk::rename((folder.as_fd(), &draft), (folder.as_fd(), STRANDED), Onto::Anything)?;
            disk::sync_dir(folder.as_fd(), "tx")?;
        }
        let journal_fd = journal.as_fd();
        disk::rename((journal_fd, JOURNAL_PENDING), (journal_fd, JOURNAL_LAST), Onto::Anything)?;
        if stranded.is_empty() {
            remove_tx(&journal, name)?;
        }
        Ok(())
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

fn stranded_write(record: &Record, Left { path, kept }: Left) -> StrandedWrite {
    StrandedWrite { path, kept, operation: record.operation.clone(), at: record.at.clone() }
}

fn write_blob(folder: &OwnedFd, blob: &Blob<'_>) -> io::Result<std::fs::File> {
    let file = disk::create_file(folder.as_fd(), &blob.name)?;
    disk::write(&file, &blob.name, blob.bytes)?;
    if let Some(mode) = blob.mode
        && Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != mode
    {
        disk::set_mode(&file, &blob.name, mode)?;
    }
    Ok(file)
}

/// Removes the folder of a transaction, with the folders that it took out of the tree.
fn remove_tx(journal: &OwnedFd, name: &str) -> io::Result<()> {
    manifest::remove(journal.as_fd(), name)
}

fn open_tx(journal: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(rustix::fs::openat(journal, name, flags, Mode::empty())?)
}

/// The names in a folder; names that are not UTF-8 are not ours.
fn names_in(folder: &OwnedFd) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(folder)? {
        match entry?.file_name().to_str() {
            Ok("." | "..") | Err(_) => {}
            Ok(name) => names.push(name.to_owned()),
        }
    }
    Ok(names)
}
