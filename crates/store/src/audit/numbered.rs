//! The operation log as one numbered list, the oldest record first, across rotated files.
//!
//! A number stays good while records are added and files are rotated, so it serves as a cursor. Files that lie behind
//! the cursor are passed over by the counts in the manifest, unread.

use std::fs::File;

use memchr::memmem::Finder;

use super::lines::LinesBackwards;
use super::operation::OperationEnvelope;
use super::read::{Gist, LogFilter, open_log};
use crate::error::FileError;
use crate::layout::Layout;

/// All records of a workspace, at the moment of opening.
#[derive(Debug)]
pub struct OperationLog {
    /// Oldest first, with how many records each has.
    files: Vec<(File, u64)>,
}

/// Records from a number down, newest first.
#[derive(Debug)]
pub struct Descending {
    files: Vec<(File, u64)>,
    current: Option<LinesBackwards>,
    /// The number of the record that was given out last.
    number: u64,
    filter: LogFilter,
    needles: Vec<Finder<'static>>,
}

impl OperationLog {
    pub fn open(layout: &Layout) -> Result<Self, FileError> {
        Ok(Self { files: open_log(layout)? })
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.files.iter().map(|(_, records)| records).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records whose number is below `end`, newest first.
    pub fn below(mut self, end: u64, filter: LogFilter) -> Descending {
        let mut number = self.len();
        // Whole files are passed over by their counts.
        while let Some((_, records)) = self.files.last()
            && number - records >= end
        {
            number -= records;
            self.files.pop();
        }
        let needles = filter.needles();
        let mut descending = Descending { files: self.files, current: None, number, filter, needles };
        while descending.number > end && descending.next_line().is_some() {}
        descending
    }
}

impl Descending {
    fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.current.as_mut().and_then(Iterator::next) {
                Some(Ok(line)) => {
                    self.number = self.number.saturating_sub(1);
                    return Some(line);
                }
                Some(Err(error)) => tracing::debug!(%error, "the rest of a log cannot be read"),
                None => {}
            }
            let (file, _) = self.files.pop()?;
            self.current = LinesBackwards::new(file).ok();
        }
    }

    /// The number of the next record that is wanted, which is not read whole for that.
    pub fn next_number(&mut self) -> Option<u64> {
        self.next_wanted().map(|_| self.number)
    }

    fn next_wanted(&mut self) -> Option<Vec<u8>> {
        loop {
            let line = self.next_line()?;
            // Cheaper than reading a record that cannot match.
            if !self.needles.iter().all(|needle| needle.find(&line).is_some()) {
                continue;
            }
            let Ok(record) = serde_json::from_slice::<Gist<'_>>(&line) else { continue };
            if self.filter.accepts(&record) {
                return Some(line);
            }
            if self.filter.is_past(&record) {
                self.files.clear();
                self.current = None;
            }
        }
    }
}

impl Iterator for Descending {
    /// A record with its number.
    type Item = (u64, OperationEnvelope);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.next_wanted()?;
            if let Ok(envelope) = serde_json::from_slice(&line) {
                return Some((self.number, envelope));
            }
        }
    }
}
