//! Finishes what a crash left behind. It can itself be interrupted anywhere.
//!
//! Only the holder of the write lock comes here. A record without the seal of this machine, or one that git tracks, is
//! never carried out: it is left where it stands, reported, and removed when somebody asks for that.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;
use rustix::io::Errno;
use thiserror::Error;
use uuid::Uuid;

use super::record::{Record, Step, StrandedWrite};
use super::{Journal, STRANDED, names_in, open_tx, remove_tx};
use crate::beneath::is_missing;
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::git;
use crate::layout::JOURNAL_PENDING;
use crate::manifest;
use crate::path::RelPath;
use crate::place::Site;
use crate::secret::KeyError;

/// A record that is not believed is set aside under this prefix when another one needs its place.
const UNREADABLE: &str = "unreadable-";

/// A record that is larger is waited for: reading it would take as long.
const MOST_GLANCED_AT: usize = 32 << 10;

/// Why a commit that was found could not be finished.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct RecoverError(#[from] FileError);

impl RecoverError {
    pub fn hint(&self) -> &'static str {
        self.0.hint()
    }
}

/// What stands in the place of the record.
#[derive(Debug)]
pub(crate) enum Pending {
    Nothing,
    /// This machine wrote it: it will be finished.
    Ours(Record),
    /// It was never made durable, and the machine has started again since: what it was to do is done or not done, whole.
    /// Without a text where a power cut left none.
    Lapsed(Option<Box<Record>>),
    Distrusted(Distrust),
    /// It could not be looked at this time, so nobody knows whose it is.
    Unknown(FileError),
}

/// Why a record is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// It has no seal of this machine: planted, damaged, of another version, or another machine's.
    NoSeal,
    /// Git tracks the journal, so it may have come with the repository.
    Tracked,
    /// A link stands in its place, or it cannot be read.
    Unreadable,
}

impl Journal<'_> {
    /// Finishes a commit that was interrupted after its commit point, or takes it back where that fails, and removes what
    /// did not get that far.
    pub(crate) fn recover(&self) -> Result<(), RecoverError> {
        match self.pending() {
            Pending::Nothing => {}
            Pending::Ours(record) => {
                tracing::info!(operation = record.operation, "finishing an interrupted write");
                self.finish(&record)?;
            }
            Pending::Lapsed(record) => self.clear_lapsed(record.as_deref())?,
            Pending::Distrusted(why) => {
                tracing::warn!(?why, "a record in the journal is not this machine's and is ignored");
                // One of the folders belongs to it.
                return Ok(());
            }
            Pending::Unknown(error) => return Err(error.into()),
        }
        match self.home.open_real_dir(Some(self.path)) {
            Ok(journal) => sweep(&journal),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(FileError::at("open the journal", self.path)(error).into()),
        }
        Ok(())
    }

    pub(super) fn finish(&self, record: &Record) -> Result<(), FileError> {
        let is_to_do = self.is_to_do(record)?;
        match self.apply(record) {
            Ok(left) => {
                let left = if is_to_do { self.left_of(record, left)? } else { left };
                self.close(record, &self.stranded_of(record, left))
            }
            // Whoever wrote it may have been told that it is done, and only could not close it, or lost power since.
            Err(error) if !is_to_do => Err(error),
            Err(error) => {
                // It was never acknowledged, so it may as well not have happened.
                let undone = self.undo(record);
                if undone.is_ok() {
                    tracing::warn!(%error, operation = record.operation, "an interrupted write was taken back");
                }
                undone.map_err(|_| error)
            }
        }
    }

    /// Takes away a record that has lapsed. Only an edit that was taken out of the tree in the very last moment goes back.
    pub(super) fn clear_lapsed(&self, record: Option<&Record>) -> Result<(), FileError> {
        let Some(record) = record else {
            let remove = || {
                let journal = self.home.open_real_dir(Some(self.path))?;
                disk::remove_file(journal.as_fd(), JOURNAL_PENDING)
            };
            return remove().map_err(FileError::at("close the journal", self.path));
        };
        if let Some(slots) = self.open_slots(record)? {
            Site { root: self.root, slots: slots.as_fd() }.return_edits(&record.steps)?;
        }
        self.close(record, &[])
    }

    /// What stands in the place of the record, and whether it is believed. Writes nothing.
    pub(crate) fn pending(&self) -> Pending {
        let path = self.path.join(JOURNAL_PENDING).expect("a plain name");
        let unknown = |error| Pending::Unknown(FileError::at("read the journal", &path)(error));
        let bytes = match self.home.read_real(&path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Pending::Nothing,
            Err(error) if is_passing(&error) => return unknown(error),
            Err(_) => return Pending::Distrusted(Distrust::Unreadable),
        };
        let believed = if bytes.iter().all(|byte| *byte == 0) {
            // A file that was not synced has its length, or not even that, before it has its bytes.
            Pending::Lapsed(None)
        } else {
            let key = match self.machine.known_key() {
                Ok(Some(key)) => key,
                Err(KeyError::File { source, .. }) if is_passing(&source) => return unknown(source),
                Ok(None) | Err(_) => return Pending::Distrusted(Distrust::NoSeal),
            };
            match Record::unsealed(&bytes, &key, self.root_path()) {
                Some(record) if record.has_lapsed() => Pending::Lapsed(Some(Box::new(record))),
                Some(record) => Pending::Ours(record),
                None => return Pending::Distrusted(Distrust::NoSeal),
            }
        };
        match git::tracks_below(&self.path.under(self.home.path())) {
            Ok(false) => believed,
            Err(error) if is_passing(&error) => unknown(error),
            Ok(true) | Err(_) => Pending::Distrusted(Distrust::Tracked),
        }
    }

    /// What the record that stands there says it does, whoever wrote it: not to be carried out, only to be waited for.
    pub(crate) fn glance(&self) -> Option<Vec<Step>> {
        let path = self.path.join(JOURNAL_PENDING).expect("a plain name");
        let (bytes, _) = self.home.read_real(&path).ok()?;
        if bytes.len() > MOST_GLANCED_AT { None } else { Record::steps_of(&bytes) }
    }

    /// The writes that wait for somebody to look at them.
    pub(crate) fn stranded(&self) -> io::Result<Vec<StrandedWrite>> {
        let Some(journal) = self.open_if_there()? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in names_in(&journal)? {
            let Ok(list) = self.path.join(&name).and_then(|folder| folder.join(STRANDED)) else { continue };
            if let Ok((text, _)) = self.home.read_real(&list) {
                found.extend(serde_json::from_slice::<Vec<StrandedWrite>>(&text).unwrap_or_default());
            }
        }
        found.sort_by(|a, b| (&a.at, &a.path).cmp(&(&b.at, &b.path)));
        Ok(found)
    }

    /// The records that are not believed, each with the reason.
    pub(crate) fn distrusted(&self) -> io::Result<Vec<(RelPath, Distrust)>> {
        let mut found = Vec::new();
        if let Pending::Distrusted(why) = self.pending() {
            found.push((self.path.join(JOURNAL_PENDING).expect("a plain name"), why));
        }
        // A link in its place was reported above, if it leads to a record.
        let Ok(Some(journal)) = self.open_if_there() else { return Ok(found) };
        let aside = names_in(&journal)?.into_iter().filter(|name| name.starts_with(UNREADABLE));
        found.extend(aside.filter_map(|name| Some((self.path.join(&name).ok()?, Distrust::NoSeal))));
        Ok(found)
    }

    /// Removes the records that are not believed, with what was staged for them. Returns their paths.
    pub(crate) fn discard_distrusted(&self) -> Result<Vec<RelPath>, FileError> {
        let failed = || FileError::at("clean the journal", self.path);
        let found = self.distrusted().map_err(failed())?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let remove = || -> io::Result<()> {
            let journal = self.home.open_real_dir(Some(self.path))?;
            for (path, _) in &found {
                disk::remove_file(journal.as_fd(), path.file_name())?;
            }
            disk::sync_dir(journal.as_fd(), "journal")?;
            for name in leftovers(&journal)? {
                manifest::unprotect(journal.as_fd(), name.as_str())?;
                remove_tx(&journal, &name)?;
            }
            Ok(())
        };
        remove().map_err(failed())?;
        Ok(found.into_iter().map(|(path, _)| path).collect())
    }

    /// Folders of transactions that nobody needs any more and that could not be removed.
    pub(crate) fn leftovers(&self) -> io::Result<Vec<RelPath>> {
        let Some(journal) = self.open_if_there()? else { return Ok(Vec::new()) };
        if self.has_record() {
            return Ok(Vec::new());
        }
        Ok(leftovers(&journal)?.iter().filter_map(|name| self.path.join(name).ok()).collect())
    }

    /// Removes them, even those that were protected against writing. Returns how many there were.
    pub(crate) fn remove_leftovers(&self) -> Result<usize, FileError> {
        let remove = || -> io::Result<usize> {
            let Some(journal) = self.open_if_there()? else { return Ok(0) };
            let names = if self.has_record() { Vec::new() } else { leftovers(&journal)? };
            for name in &names {
                manifest::unprotect(journal.as_fd(), name.as_str())?;
                remove_tx(&journal, name)?;
            }
            Ok(names.len())
        };
        remove().map_err(FileError::at("clean the journal", self.path))
    }

    fn open_if_there(&self) -> io::Result<Option<OwnedFd>> {
        match self.home.open_real_dir(Some(self.path)) {
            Ok(journal) => Ok(Some(journal)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether a look failed for want of something that will be there another time: it tells nothing of what stands there.
fn is_passing(error: &io::Error) -> bool {
    const PASSING: [Errno; 5] = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO, Errno::INTR];
    Errno::from_io_error(error).is_some_and(|errno| PASSING.contains(&errno))
}

/// Makes room for another record.
pub(super) fn set_aside(journal: &OwnedFd) -> io::Result<()> {
    let name = format!("{UNREADABLE}{}", Uuid::new_v4());
    disk::rename((journal.as_fd(), JOURNAL_PENDING), (journal.as_fd(), &name), Onto::Nothing)
}

/// Transactions that never reached their commit point, and what a finished one left.
fn leftovers(journal: &OwnedFd) -> io::Result<Vec<String>> {
    let is_left = |name: &String| {
        let is_needed = open_tx(journal, name)
            .and_then(|folder| Ok(rustix::fs::statat(&folder, STRANDED, AtFlags::SYMLINK_NOFOLLOW)?));
        Uuid::parse_str(name).is_ok() && is_needed.is_err()
    };
    Ok(names_in(journal)?.into_iter().filter(is_left).collect())
}

/// Removes what nobody needs any more. What cannot be removed is in nobody's way; `doctor` tells of it.
fn sweep(journal: &OwnedFd) {
    let swept = names_in(journal).and_then(|names| {
        if names.iter().any(|name| name.starts_with(UNREADABLE)) {
            // One of the folders belongs to the record that was set aside.
            return Ok(());
        }
        leftovers(journal)?.iter().try_for_each(|name| remove_tx(journal, name))
    });
    if let Err(error) = swept {
        tracing::debug!(%error, "the journal could not be swept");
    }
}
