//! The journal: what makes a commit of several files all or nothing (D-8).
//!
//! New contents wait in `journal/<tx>/`. The commit point is the rename of a complete, durable [`Record`] to
//! `journal/pending`; from then on [`Journal::complete`] puts every file in its place, now or after a crash. Only
//! the holder of the write lock comes here, so there is never more than one record.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use crate::beneath::{Root, is_missing};
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::layout::JOURNAL_PENDING;
use crate::path::RelPath;
use crate::place::{Left, put_in_place};
use crate::stamp::Stamp;

const VERSION: u32 = 1;
/// The record before it counts, inside its transaction's folder.
const DRAFT: &str = "record";
/// What could not be put in place, inside its transaction's folder.
const STRANDED: &str = "stranded.json";
/// A record that cannot be read is set aside under this prefix.
const UNREADABLE: &str = "unreadable-";

/// What a commit does, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    pub(crate) tx: Uuid,
    pub(crate) operation: String,
    pub(crate) at: String,
    pub(crate) steps: Vec<Step>,
}

/// One thing that a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Step {
    Put { path: RelPath, old: Option<ContentHash>, new: ContentHash, blob: String },
    Delete { path: RelPath, old: ContentHash },
    MoveDir { from: RelPath, to: RelPath },
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

/// Why a commit that was found could not be finished.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct RecoverError(#[from] FileError);

impl RecoverError {
    pub fn hint(&self) -> &'static str {
        self.0.hint()
    }
}

/// The content of a file to be, before it is staged.
pub(crate) struct Blob<'a> {
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
    /// The permissions of the file that it replaces.
    pub(crate) mode: Option<Mode>,
}

#[derive(Debug)]
pub(crate) struct Journal<'a> {
    root: &'a Root,
    path: &'a RelPath,
}

/// A transaction whose contents are durable but do not count yet.
pub(crate) struct Staged {
    journal: OwnedFd,
    folder: OwnedFd,
    record: Record,
}

impl Record {
    pub(crate) fn new(tx: Uuid, operation: &str, at: String, steps: Vec<Step>) -> Self {
        Self { version: VERSION, tx, operation: operation.to_owned(), at, steps }
    }
}

impl<'a> Journal<'a> {
    pub(crate) fn new(root: &'a Root, path: &'a RelPath) -> Self {
        Self { root, path }
    }

    /// Whether a commit is under way or was interrupted; one system call.
    pub(crate) fn is_pending(&self) -> bool {
        let pending = format!("{}/{JOURNAL_PENDING}", self.path);
        rustix::fs::statat(self.root.fd(), pending, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Changes whenever a commit begins or ends; one system call.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        rustix::fs::statat(self.root.fd(), self.path.as_str(), AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .map(|stat| Stamp::of(&stat))
    }

    /// Writes contents and record, complete and durable, where nobody looks for them yet.
    pub(crate) fn stage(&self, record: Record, blobs: &[Blob<'_>]) -> Result<Staged, FileError> {
        let failed = || FileError::at("write the journal", self.path);
        let journal = self.root.make_dirs(self.path).map_err(failed())?;
        let name = record.tx.to_string();
        let write_all = || -> io::Result<OwnedFd> {
            disk::create_dir(journal.as_fd(), &name)?;
            let folder = open_tx(&journal, &name)?;
            let text = serde_json::to_vec(&record).map_err(io::Error::other)?;
            let draft = Blob { name: DRAFT.to_owned(), bytes: &text, mode: None };
            // All are written before the first is synced: the file system can then sync them together.
            let files = blobs
                .iter()
                .chain([&draft])
                .map(|blob| write_blob(&folder, blob))
                .collect::<io::Result<Vec<_>>>()?;
            for (file, blob) in files.iter().zip(blobs.iter().chain([&draft])) {
                disk::sync_file(file, &blob.name)?;
            }
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

    /// Puts everything that a published record says in its place and closes the record.
    pub(crate) fn complete(&self, record: &Record) -> Result<Vec<StrandedWrite>, FileError> {
        let name = record.tx.to_string();
        let folder = self.path.join(&name).expect("a transaction's name is a plain name");
        let left = put_in_place(self.root, &folder, &record.steps)?;
        let stranded: Vec<StrandedWrite> =
            left.into_iter().map(|left| stranded_write(record, left)).collect();
        self.close(&name, &stranded).map_err(FileError::at("close the journal", self.path))?;
        Ok(stranded)
    }

    /// Finishes a commit that was interrupted after its commit point, and removes what did not get that far.
    pub(crate) fn recover(&self) -> Result<Vec<StrandedWrite>, RecoverError> {
        let journal = match self.root.open_dir(Some(self.path)) {
            Ok(journal) => journal,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(FileError::at("open the journal", self.path)(error).into()),
        };
        let stranded = match self.read_pending()? {
            Some(record) => {
                tracing::info!(operation = record.operation, "finishing an interrupted write");
                self.complete(&record)?
            }
            None => Vec::new(),
        };
        sweep(&journal).map_err(FileError::at("clean the journal", self.path))?;
        Ok(stranded)
    }

    /// The writes that wait for somebody to look at them.
    pub(crate) fn stranded(&self) -> io::Result<Vec<StrandedWrite>> {
        let journal = match self.root.open_dir(Some(self.path)) {
            Ok(journal) => journal,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for name in names_in(&journal)? {
            if name.starts_with(UNREADABLE) {
                let kept = self.path.join(&name).ok();
                let path = self.path.join(JOURNAL_PENDING).expect("a plain name");
                found.push(StrandedWrite { path, kept, operation: "unknown".to_owned(), at: String::new() });
            } else if let Ok((text, _)) = self.root.read(&format!("{}/{name}/{STRANDED}", self.path)) {
                found.extend(serde_json::from_slice::<Vec<StrandedWrite>>(&text).unwrap_or_default());
            }
        }
        found.sort_by(|a, b| (&a.at, &a.path).cmp(&(&b.at, &b.path)));
        Ok(found)
    }

    fn read_pending(&self) -> Result<Option<Record>, FileError> {
        let path = self.path.join(JOURNAL_PENDING).expect("a plain name");
        let text = match self.root.read(path.as_str()) {
            Ok((text, _)) => text,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(FileError::at("read the journal", &path)(error)),
        };
        match serde_json::from_slice::<Record>(&text) {
            Ok(record) if record.version == VERSION => Ok(Some(record)),
            outcome => {
                // Written by a newer hewto or damaged: nothing here may guess what it meant.
                tracing::warn!(?outcome, "a record in the journal cannot be read and is set aside");
                self.set_aside().map_err(FileError::at("set aside a damaged record", &path))?;
                Ok(None)
            }
        }
    }

    fn set_aside(&self) -> io::Result<()> {
        let journal = self.root.open_dir(Some(self.path))?;
        let name = format!("{UNREADABLE}{}", Uuid::new_v4());
        disk::rename((journal.as_fd(), JOURNAL_PENDING), (journal.as_fd(), &name), Onto::Nothing)
    }

    /// The record goes last: until then a crash only means that the work is looked over again.
    fn close(&self, name: &str, stranded: &[StrandedWrite]) -> io::Result<()> {
        let journal = self.root.open_dir(Some(self.path))?;
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
        disk::remove_file(journal.as_fd(), JOURNAL_PENDING)?;
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

/// Removes transactions that never reached their commit point.
fn sweep(journal: &OwnedFd) -> io::Result<()> {
    let names = names_in(journal)?;
    if names.iter().any(|name| name.starts_with(UNREADABLE)) {
        // One of these folders belongs to the record that could not be read.
        return Ok(());
    }
    for name in names.iter().filter(|name| Uuid::parse_str(name).is_ok()) {
        let folder = open_tx(journal, name)?;
        if rustix::fs::statat(&folder, STRANDED, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            remove_tx(journal, name)?;
        }
    }
    Ok(())
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

fn remove_tx(journal: &OwnedFd, name: &str) -> io::Result<()> {
    let folder = match open_tx(journal, name) {
        Ok(folder) => folder,
        Err(error) if is_missing(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for file in names_in(&folder)? {
        disk::remove_file(folder.as_fd(), &file)?;
    }
    disk::remove_dir(journal.as_fd(), name)
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
