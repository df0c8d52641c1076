//! Appends whole lines to a log that other processes append to as well.
//!
//! One exclusive lock file per folder makes append and rotation exact. Every append opens the log anew, so that
//! nobody writes into a file that has been rotated away.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::rotate::{self, Rotation};
use crate::beneath::Root;
use crate::disk;
use crate::path::RelPath;

/// The lock of a folder of logs. Its text is a [`Tally`] of the log that rotates.
pub(super) const LOCK: &str = ".lock";

/// How much stood in a log after the last append, so that records need not be counted every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) bytes: u64,
    pub(super) records: u64,
}

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
pub(super) fn append(root: &Root, log: &RelPath, lines: &[u8], growth: Growth<'_>) -> io::Result<Appended> {
    let folder = match log.parent() {
        Some(parent) => root.make_real_dirs(&parent)?,
        None => root.open_dir_to_write(None)?,
    };
    let folder = folder.as_fd();
    let lock = disk::open_lock(folder, LOCK)?;
    lock.lock()?;
    let name = log.file_name();
    let file = disk::open_append(folder, name)?;
    for (file, name) in [(&lock, LOCK), (&file, name)] {
        if let Err(error) = disk::make_private(file, name) {
            // It belongs to somebody else, who decides then.
            tracing::debug!(%error, name, "a log that others may read");
        }
    }
    let before = file.metadata()?.len();
    let tail = tail_of(&file, before)?;
    let mut bytes = Vec::with_capacity(lines.len() + 1);
    if tail == Tail::Torn {
        // A process died in the middle of a line; that line ends here.
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(lines);
    if let Err(error) = disk::write(&file, name, &bytes) {
        // Half a line would be taken for damage later. Nobody else writes while the lock is held.
        let _ = disk::truncate(&file, name, before);
        return Err(error);
    }
    let is_new = before == 0;
    let rotated = match growth {
        Growth::BySize(rotation, now) => {
            let is_full = before + bytes.len() as u64 >= rotation.max_bytes;
            if is_full {
                rotate::rotate(root, log, folder, now)?;
            }
            is_full
        }
        Growth::Rotating(rotation, now) => {
            let known = read_tally(&lock).filter(|tally| tally.bytes == before);
            let records = match known {
                Some(tally) => tally.records + count_lines(&bytes),
                None => rotate::count_records(root, log)?,
            };
            let tally = Tally { bytes: before + bytes.len() as u64, records };
            finish(root, log, folder, &lock, rotation, now, tally)?
        }
    };
    Ok(if is_new || rotated { Appended::WithNewFile } else { Appended::Plainly })
}

fn finish(
    root: &Root,
    log: &RelPath,
    folder: BorrowedFd<'_>,
    lock: &File,
    rotation: &Rotation,
    now: Timestamp,
    tally: Tally,
) -> io::Result<bool> {
    let is_due = rotation.is_due(tally);
    let tally = if is_due {
        rotate::rotate(root, log, folder, now)?;
        Tally::default()
    } else {
        tally
    };
    let text = serde_json::to_vec(&tally).map_err(io::Error::other)?;
    disk::overwrite(lock, LOCK, &text)?;
    Ok(is_due)
}

#[derive(Debug, PartialEq, Eq)]
enum Tail {
    Whole,
    Torn,
}

fn tail_of(file: &File, length: u64) -> io::Result<Tail> {
    let Some(last) = length.checked_sub(1) else { return Ok(Tail::Whole) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(if byte == *b"\n" { Tail::Whole } else { Tail::Torn })
}

fn read_tally(lock: &File) -> Option<Tally> {
    let mut text = [0; 128];
    let length = lock.read_at(&mut text, 0).ok()?;
    serde_json::from_slice(&text[..length]).ok()
}

pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

#[cfg(all(test, feature = "fault-injection"))]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::fault;

    /// The line before is another process's: cutting off half of a line must not take any of it.
    #[test]
    fn a_line_that_could_not_be_written_whole_is_taken_back_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
        let log = RelPath::known("logs/operations.jsonl");
        let rotation = Rotation { max_bytes: u64::MAX, max_records: u64::MAX };
        let add = |line: &str| {
            append(&root, &log, line.as_bytes(), Growth::Rotating(&rotation, Timestamp::UNIX_EPOCH))
        };
        add("{\"theirs\":1}\n").unwrap();
        fault::inject(None);
        add("{\"theirs\":2}\n").unwrap();
        for at in 0..fault::trace().len() {
            for fault in [fault::Fault::Fail(28), fault::Fault::Short] {
                fault::inject(Some(fault::FaultPlan { at, fault }));
                let added = add("{\"mine\":1}\n");
                fault::inject(None);
                let text = fs_err::read_to_string(dir.path().join(log.as_str())).unwrap();
                assert!(
                    text.starts_with("{\"theirs\":1}\n{\"theirs\":2}\n") && text.ends_with("}\n"),
                    "{text}"
                );
                assert!(added.is_err() || text.ends_with("{\"mine\":1}\n"), "at {at}, {fault:?}: {text}");
                let whole = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
                assert!(text.lines().all(whole), "at {at}, {fault:?}: {text}");
            }
        }
    }

    #[test]
    fn nobody_rotates_a_log_while_a_line_is_being_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = fs_err::canonicalize(dir.path()).unwrap();
        let log = RelPath::known("logs/operations.jsonl");
        let append_one = {
            let (path, log) = (path.clone(), log.clone());
            move |line: &str| {
                let rotation = Rotation { max_bytes: u64::MAX, max_records: 2 };
                let growth = Growth::Rotating(&rotation, Timestamp::UNIX_EPOCH);
                append(&Root::open(&path).unwrap(), &log, line.as_bytes(), growth).unwrap();
            }
        };
        append_one("{\"n\":1}\n");
        fault::inject(None);
        append_one("{\"n\":2}\n");
        let write = fault::trace().iter().position(|call| call == "write operations.jsonl").unwrap();
        append_one("{\"n\":3}\n");
        let (done, wait) = channel();
        let other = append_one.clone();
        fault::meanwhile(write, move || {
            let (other_done, other_wait) = channel();
            let thread = std::thread::spawn(move || {
                other("{\"n\":4}\n");
                let _ = other_done.send(());
            });
            // Without the lock the other one is through long before this ends.
            let _ = other_wait.recv_timeout(Duration::from_millis(50));
            done.send(thread).unwrap();
        });
        append_one("{\"n\":5}\n");
        wait.recv().unwrap().join().unwrap();
        let logs = path.join("logs");
        let manifest = fs_err::read_to_string(logs.join("operations.jsonl.manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        let mut lines = fs_err::read_to_string(logs.join("operations.jsonl")).unwrap().lines().count() as u64;
        for file in manifest["files"].as_array().unwrap() {
            let text = fs_err::read_to_string(logs.join(file["file"].as_str().unwrap())).unwrap();
            assert_eq!(text.lines().count() as u64, file["records"].as_u64().unwrap(), "{manifest}");
            lines += file["records"].as_u64().unwrap();
        }
        assert_eq!(lines, 5);
    }
}
