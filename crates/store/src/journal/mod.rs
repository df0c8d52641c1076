//! The journal: what makes a commit of several files all or nothing (D-8).
//!
//! New contents wait in `journal/<tx>/`. The commit point is the rename of a complete, durable [`Record`] to
//! `journal/pending`; from then on [`Journal::apply`] puts every file in its place, now or after a crash
//! ([`Journal::recover`]), or [`Journal::undo`] takes all of it back where that fails. Only the holder of the write lock
//! writes here, so there is never more than one record. A record counts only with the seal of this machine ([`record`]).

mod record;
mod recover;
mod stage;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};

pub use self::record::StrandedWrite;
pub(crate) use self::record::{Blob, Put, Record, Step};
pub(crate) use self::recover::Pending;
pub use self::recover::{Distrust, RecoverError};
pub(crate) use self::stage::{Stage, Staged};

use crate::beneath::Root;
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::layout::{JOURNAL_LAST, JOURNAL_PENDING};
use crate::manifest;
use crate::path::RelPath;
use crate::place::{Left, Site};
use crate::secret::MachineSecret;
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
    machine: &'a MachineSecret,
}

impl<'a> Journal<'a> {
    pub(crate) fn new(root: &'a Root, home: &'a Root, path: &'a RelPath, machine: &'a MachineSecret) -> Self {
        Self { root, home, path, machine }
    }

    /// The root that its records are for, by its real path.
    fn root_path(&self) -> &Path {
        self.root.path()
    }

    /// Whether a record stands in the journal, whoever wrote it; one system call.
    pub(crate) fn has_record(&self) -> bool {
        let pending = format!("{}/{JOURNAL_PENDING}", self.path);
        rustix::fs::statat(self.home.fd(), pending, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Something that is different after every commit; one system call.
    pub(crate) fn last(&self) -> Option<Stamp> {
        let last = format!("{}/{JOURNAL_LAST}", self.path);
        let stat = rustix::fs::statat(self.home.fd(), last, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Stamp::of(&stat))
    }

    /// The commit point.
    pub(crate) fn publish(&self, staged: &Staged) -> Result<(), FileError> {
        let journal = staged.journal.as_fd();
        let from = (staged.folder.as_fd(), DRAFT);
        let rename = || disk::rename(from, (journal, JOURNAL_PENDING), Onto::Nothing);
        let renamed = match rename() {
            // A record that is not believed stands in the way; it is kept beside, and reported.
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && matches!(self.pending(), Pending::Distrusted(_)) =>
            {
                recover::set_aside(&staged.journal).and_then(|()| rename())
            }
            result => result,
        };
        let publish = renamed.and_then(|()| {
            if !staged.record().is_durable() {
                return Ok(());
            }
            // A record that may or may not be durable is taken back while nothing else has happened.
            disk::sync_dir(journal, "journal").or_else(|error| {
                disk::remove_file(journal, JOURNAL_PENDING)?;
                Err(error)
            })
        });
        publish.map_err(FileError::at("write the journal", self.path))
    }

    /// Puts everything that a published record says in its place. Returns what was left alone.
    pub(crate) fn apply(&self, record: &Record) -> Result<Vec<Left>, FileError> {
        let slots = self.open_slots(record)?;
        match slots {
            Some(slots) => Site { root: self.root, slots: slots.as_fd() }.put_in_place(&record.steps),
            // Its folder is only removed when everything is done.
            None => Ok(Vec::new()),
        }
    }

    /// Whether something of a published record is left to do, so that nobody can have been told that it is done.
    fn is_to_do(&self, record: &Record) -> Result<bool, FileError> {
        let Some(slots) = self.open_slots(record)? else { return Ok(false) };
        let site = Site { root: self.root, slots: slots.as_fd() };
        site.is_any_to_do(&record.steps).map_err(FileError::at("read the journal", self.path))
    }

    /// Takes back everything that a published record did, and the record itself.
    pub(crate) fn undo(&self, record: &Record) -> Result<(), FileError> {
        if let Some(slots) = self.open_slots(record)? {
            Site { root: self.root, slots: slots.as_fd() }.take_back(&record.steps, &record.folders)?;
        }
        let retract = || -> io::Result<()> {
            let journal = self.home.open_real_dir(Some(self.path))?;
            disk::remove_file(journal.as_fd(), JOURNAL_PENDING)?;
            disk::sync_dir(journal.as_fd(), "journal")?;
            // What cannot be removed now is swept later.
            let _ = remove_tx(&journal, &record.tx.to_string());
            Ok(())
        };
        retract().map_err(FileError::at("take back the record", self.path))
    }

    /// What is to be reported of a record of which some steps could not be done. Where several commits share it, the one
    /// that such a step belongs to and all that came after it, which may rest on it, are taken back and wait whole.
    pub(crate) fn left_of(&self, record: &Record, left: Vec<Left>) -> Result<Vec<Left>, FileError> {
        let first =
            left.first().and_then(|left| record.steps.iter().position(|step| *step.path() == left.path));
        let Some(from) = first.and_then(|first| record.begin_of_rest(first)) else { return Ok(left) };
        let Some(slots) = self.open_slots(record)? else { return Ok(left) };
        let site = Site { root: self.root, slots: slots.as_fd() };
        if let Err(error) = site.take_back(&record.steps[from..], &record.folders) {
            tracing::warn!(%error, "commits that rest on what somebody changed could not be taken back");
            return Ok(left);
        }
        let because_of = left[0].path.clone();
        let mut rest = Vec::new();
        for step in &record.steps[from..] {
            let is_own = left.iter().any(|left| left.path == *step.path());
            let reason = (!is_own).then(|| because_of.clone());
            rest.extend(
                site.waiting(step)
                    .map_err(FileError::at("read", step.path()))?
                    .map(|waiting| Left { because_of: reason, ..waiting }),
            );
        }
        Ok(rest)
    }

    fn open_slots(&self, record: &Record) -> Result<Option<OwnedFd>, FileError> {
        let folder = self.path.join(&record.tx.to_string()).expect("a transaction's name is a plain name");
        match self.home.open_real_dir(Some(&folder)) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::at("open the journal", &folder)(error)),
        }
    }

    /// The writes of a record that were left alone, as they are reported.
    pub(crate) fn stranded_of(&self, record: &Record, left: Vec<Left>) -> Vec<StrandedWrite> {
        let folder = self.path.join(&record.tx.to_string()).expect("a transaction's name is a plain name");
        let stranded = |Left { path, blob, because_of }| StrandedWrite {
            path,
            kept: blob.and_then(|blob| folder.join(&blob).ok()),
            operation: record.operation.clone(),
            at: record.at.clone(),
            because_of,
        };
        left.into_iter().map(stranded).collect()
    }

    /// Takes away a record that has been applied. Until then a crash only means that it is looked over again.
    pub(crate) fn close(&self, record: &Record, stranded: &[StrandedWrite]) -> Result<(), FileError> {
        self.try_close(record, stranded).map_err(FileError::at("close the journal", self.path))
    }

    fn try_close(&self, record: &Record, stranded: &[StrandedWrite]) -> io::Result<()> {
        let name = record.tx.to_string();
        let journal = self.home.open_real_dir(Some(self.path))?;
        if !stranded.is_empty() {
            let folder = open_tx(&journal, &name)?;
            let text = serde_json::to_vec(stranded).map_err(io::Error::other)?;
            let draft = format!("{STRANDED}.new");
            disk::remove_file(folder.as_fd(), draft.as_str())?;
            let file = stage::write_blob(&folder, &Blob { name: draft.clone(), bytes: &text, like: None })?;
            disk::sync_file(&file, &draft)?;
            disk::rename((folder.as_fd(), &draft), (folder.as_fd(), STRANDED), Onto::Anything)?;
            disk::sync_dir(folder.as_fd(), "tx")?;
        }
        let journal_fd = journal.as_fd();
        disk::rename((journal_fd, JOURNAL_PENDING), (journal_fd, JOURNAL_LAST), Onto::Anything)?;
        if record.removes() {
            // What waits in the transaction's folder says that the removal is done. It must not go before the record:
            // after a power cut the record would remove what has come to stand there since.
            disk::sync_dir(journal_fd, "journal")?;
        }
        if stranded.is_empty() {
            remove_tx(&journal, &name)?;
        }
        Ok(())
    }
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
