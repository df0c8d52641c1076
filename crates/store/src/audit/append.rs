//! Appends whole lines to a log that other processes append to as well.
//!
//! One exclusive lock file per folder makes append and rotation exact. Every append opens the log anew, so that
//! nobody writes into a file that has been rotated away. Many logs of a folder are appended to under one lock: a server has
//! one for each session, and taking the lock costs more than a line.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::rotate::{self, Rotation};
use crate::beneath::Root;
use crate::disk;
use crate::path::RelPath;

/// The lock of a folder of logs. Its text is a [`Note`].
pub(super) const LOCK: &str = ".lock";

/// How much stood in a log after the last append, so that records need not be counted every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) bytes: u64,
    pub(super) records: u64,
}

/// What the lock remembers from one append to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Note {
    /// Of the log that rotates.
    #[serde(flatten)]
    tally: Tally,
    /// What is being written right now. Found by the next one, it was written by somebody who died over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    writing: Option<Writing>,
}

/// A log that is being appended to, and how long it was before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Writing {
    log: String,
    from: u64,
}

impl Note {
    fn read(lock: &File) -> Option<Self> {
        let mut text = [0; 1024];
        let length = lock.read_at(&mut text, 0).ok()?;
        serde_json::from_slice(&text[..length]).ok()
    }

    fn write(&self, lock: &File) -> io::Result<()> {
        let mut text = serde_json::to_vec(self).map_err(io::Error::other)?;
        // Always as long, so that the file never shrinks: that would wait for whoever syncs something else.
        text.resize(text.len().max(NOTE_BYTES), b' ');
        text.push(b'\n');
        disk::overwrite(lock, LOCK, &text)
    }
}

/// How long a note is, unless it has more to say.
const NOTE_BYTES: usize = 511;

/// When a log starts anew.
#[derive(Debug, Clone, Copy)]
pub(super) enum Growth<'a> {
    /// By its size alone: there are many of them, and nobody counts their records.
    BySize(&'a Rotation, Timestamp),
    /// By its size and its records, of which the lock keeps a tally.
    Rotating(&'a Rotation, Timestamp),
}

/// What became of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Appended {
    /// It was there and still is.
    Plainly,
    /// There is one file more in the folder: this one is new, or the full one was put aside.
    WithNewFile,
}

/// Appends lines, each with its newline, in one write. Nobody but the owner can read the log.
#[cfg(all(test, feature = "fault-injection"))]
fn append(root: &Root, log: &RelPath, lines: &[u8], growth: Growth<'_>) -> io::Result<Appended> {
    let mut logs = LockedLogs::open(root, log.parent().as_ref())?;
    let appended = logs.append(log, lines, growth);
    logs.close().and(appended)
}

/// The logs of a folder, locked.
#[derive(Debug)]
pub(super) struct LockedLogs<'a> {
    root: &'a Root,
    folder: OwnedFd,
    lock: File,
    /// Of the log that rotates; `None` when nobody knows.
    tally: Option<Tally>,
}

impl<'a> LockedLogs<'a> {
    /// Waits for the lock, and mends what somebody left who died with it.
    pub(super) fn open(root: &'a Root, folder: Option<&RelPath>) -> io::Result<Self> {
        let folder = match folder {
            Some(folder) => root.make_real_dirs(folder)?,
            None => root.open_dir_to_write(None)?,
        };
        let lock = disk::open_lock(folder.as_fd(), LOCK)?;
        lock.lock()?;
        let note = Note::read(&lock);
        if let Some(writing) = note.as_ref().and_then(|note| note.writing.as_ref())
            && let Err(error) = cut_half_line(folder.as_fd(), writing)
        {
            tracing::debug!(%error, log = writing.log, "a log that may end in half a line");
        }
        keep_private(&lock, LOCK);
        Ok(Self { root, folder, lock, tally: note.map(|note| note.tally) })
    }

    /// Appends lines, each with its newline, in one write. Nobody but the owner can read the log.
    pub(super) fn append(&mut self, log: &RelPath, lines: &[u8], growth: Growth<'_>) -> io::Result<Appended> {
        let name = log.file_name();
        let file = disk::open_append(self.folder.as_fd(), name)?;
        keep_private(&file, name);
        let mut before = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(lines.len() + 1);
        match tail_of(&file, before)? {
            Tail::Whole => {}
            Tail::Unended => bytes.push(b'\n'),
            // What a loss of power has left of a line; nobody was told of it.
            Tail::Torn { from } => {
                disk::truncate(&file, name, from)?;
                before = from;
            }
        }
        bytes.extend_from_slice(lines);
        self.note(Some(Writing { log: name.to_owned(), from: before }))?;
        if let Err(error) = disk::write(&file, name, &bytes) {
            // Half a line would be taken for damage later. Nobody else writes while the lock is held.
            let _ = disk::truncate(&file, name, before);
            return Err(error);
        }
        let after = before + bytes.len() as u64;
        let is_full = match growth {
            Growth::BySize(rotation, _) => after >= rotation.max_bytes,
            Growth::Rotating(rotation, _) => {
                let known = self.tally.filter(|tally| tally.bytes == before);
                let records = match known {
                    Some(tally) => tally.records.saturating_add(count_lines(&bytes)),
                    // A full one is put aside, however many records it has.
                    None if before >= rotation.max_bytes => 0,
                    None => rotate::count_records(self.root, log)?,
                };
                let tally = Tally { bytes: after, records };
                let is_due = rotation.is_due(tally);
                self.tally = Some(if is_due { Tally::default() } else { tally });
                is_due
            }
        };
        if is_full {
            let (Growth::BySize(_, now) | Growth::Rotating(_, now)) = growth;
            rotate::rotate(self.root, log, self.folder.as_fd(), now)?;
        }
        Ok(if before == 0 || is_full { Appended::WithNewFile } else { Appended::Plainly })
    }

    /// Gives the lock up. Nothing is being written any more.
    pub(super) fn close(self) -> io::Result<()> {
        self.note(None)
    }

    fn note(&self, writing: Option<Writing>) -> io::Result<()> {
        Note { tally: self.tally.unwrap_or_default(), writing }.write(&self.lock)
    }
}

fn keep_private(file: &File, name: &str) {
    if let Err(error) = disk::make_private(file, name) {
        // It belongs to somebody else, who decides then.
        tracing::debug!(%error, name, "a log that others may read");
    }
}

/// How a log ends.
#[derive(Debug, PartialEq, Eq)]
enum Tail {
    Whole,
    /// With a record that lacks its newline, or with what may be one.
    Unended,
    /// With something that is no record.
    Torn {
        from: u64,
    },
}

fn tail_of(file: &File, length: u64) -> io::Result<Tail> {
    let Some(last) = length.checked_sub(1) else { return Ok(Tail::Whole) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    if byte == *b"\n" {
        return Ok(Tail::Whole);
    }
    let start = length.saturating_sub(LONGEST_LINE);
    let mut bytes = vec![0; usize::try_from(length - start).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, start)?;
    let line = match memchr::memrchr(b'\n', &bytes) {
        Some(newline) => newline + 1,
        None if start > 0 => return Ok(Tail::Unended),
        None => 0,
    };
    let is_record = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes[line..]).is_ok();
    Ok(if is_record { Tail::Unended } else { Tail::Torn { from: start + line as u64 } })
}

/// Longer ones are left as they are.
const LONGEST_LINE: u64 = 16 << 20;
/// More than is ever appended at once.
const MOST_AT_ONCE: u64 = 64 << 20;

/// Takes away the half of a line that somebody left who died while writing it. The whole lines before it stay. Anybody may have
/// written the note, so that it names a log of this folder or nothing.
fn cut_half_line(folder: BorrowedFd<'_>, writing: &Writing) -> io::Result<()> {
    let name = writing.log.as_str();
    if name.contains('/') || !name.ends_with(".jsonl") {
        return Ok(());
    }
    let file = match disk::open_existing_append(folder, name) {
        Ok(file) => file,
        // It has been put aside, whole.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let new = length.checked_sub(writing.from).filter(|new| (1..=MOST_AT_ONCE).contains(new));
    let Some(new) = new else { return Ok(()) };
    let mut bytes = vec![0; usize::try_from(new).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, writing.from)?;
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |newline| newline as u64 + 1);
    if whole == new { Ok(()) } else { disk::truncate(&file, name, writing.from + whole) }
}

pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

#[cfg(all(test, feature = "fault-injection"))]
mod tests;
