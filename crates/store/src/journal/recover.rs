//! Finishes what a crash left behind. It can itself be interrupted anywhere.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;
use thiserror::Error;
use uuid::Uuid;

use super::record::{Record, StrandedWrite, VERSION};
use super::{Journal, STRANDED, names_in, open_tx, remove_tx};
use crate::beneath::is_missing;
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::layout::JOURNAL_PENDING;

/// A record that cannot be read is set aside under this prefix.
const UNREADABLE: &str = "unreadable-";

/// Why a commit that was found could not be finished.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct RecoverError(#[from] FileError);

impl RecoverError {
    pub fn hint(&self) -> &'static str {
        self.0.hint()
    }
}

impl Journal<'_> {
    /// Finishes a commit that was interrupted after its commit point, and removes what did not get that far.
    pub(crate) fn recover(&self) -> Result<Vec<StrandedWrite>, RecoverError> {
        let journal = match self.home.open_dir(Some(self.path)) {
            Ok(journal) => journal,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(FileError::at("open the journal", self.path)(error).into()),
        };
        let stranded = match self.read_pending()? {
            Some(record) => {
                tracing::info!(operation = record.operation, "finishing an interrupted write");
                let stranded = self.apply(&record)?;
                self.close(&record, &stranded)?;
                stranded
            }
            None => Vec::new(),
        };
        sweep(&journal).map_err(FileError::at("clean the journal", self.path))?;
        Ok(stranded)
    }

    /// The writes that wait for somebody to look at them.
    pub(crate) fn stranded(&self) -> io::Result<Vec<StrandedWrite>> {
        let journal = match self.home.open_dir(Some(self.path)) {
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
            } else if let Ok((text, _)) = self.home.read(&format!("{}/{name}/{STRANDED}", self.path)) {
                found.extend(serde_json::from_slice::<Vec<StrandedWrite>>(&text).unwrap_or_default());
            }
        }
        found.sort_by(|a, b| (&a.at, &a.path).cmp(&(&b.at, &b.path)));
        Ok(found)
    }

    fn read_pending(&self) -> Result<Option<Record>, FileError> {
        let path = self.path.join(JOURNAL_PENDING).expect("a plain name");
        let text = match self.home.read(path.as_str()) {
            Ok((text, _)) => text,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(FileError::at("read the journal", &path)(error)),
        };
        match serde_json::from_slice::<Record>(&text) {
            Ok(record) if record.version == VERSION && record.is_ours() => Ok(Some(record)),
            outcome => {
                // Written by a newer hewto, damaged or planted: nothing here may guess what it meant.
                tracing::warn!(?outcome, "a record in the journal cannot be read and is set aside");
                self.set_aside().map_err(FileError::at("set aside a damaged record", &path))?;
                Ok(None)
            }
        }
    }

    fn set_aside(&self) -> io::Result<()> {
        let journal = self.home.open_dir(Some(self.path))?;
        let name = format!("{UNREADABLE}{}", Uuid::new_v4());
        disk::rename((journal.as_fd(), JOURNAL_PENDING), (journal.as_fd(), &name), Onto::Nothing)
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
