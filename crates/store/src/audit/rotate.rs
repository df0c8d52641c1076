//! Rotation of a log: when it is full it gets a date in its name, and a manifest beside it says what is where.
//!
//! The files are the truth and the manifest is a help; one that is missing or damaged is made anew.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::fd::{AsFd, BorrowedFd};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::append::Tally;
use crate::beneath::Root;
use crate::disk::{self, Onto};
use crate::doc::MAX_OWN_BYTES;
use crate::path::RelPath;

/// When a log is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rotation {
    pub(super) max_bytes: u64,
    pub(super) max_records: u64,
}

/// What is known of the logs that were rotated away.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    files: Vec<RotatedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RotatedFile {
    file: String,
    records: u64,
    bytes: u64,
    /// When the first and the last record began.
    start: Option<String>,
    end: Option<String>,
}

impl Rotation {
    /// The limits of seed 002.
    pub(super) const STANDARD: Self = Self { max_bytes: 16 * 1024 * 1024, max_records: 50_000 };

    pub(super) fn is_due(&self, tally: Tally) -> bool {
        tally.bytes >= self.max_bytes || tally.records >= self.max_records
    }
}

/// Renames a full log and notes it in the manifest. The caller holds the lock of the folder.
pub(super) fn rotate(root: &Root, log: &RelPath, folder: BorrowedFd<'_>, now: Timestamp) -> io::Result<()> {
    let name = log.file_name();
    let stamp = now.strftime("%Y%m%dT%H%M%SZ");
    let mut rotated = format!("{name}.{stamp}");
    for attempt in 1.. {
        match disk::rename((folder, name), (folder, &rotated), Onto::Nothing) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                rotated = format!("{name}.{stamp}-{attempt:03}");
            }
            Err(error) => return Err(error),
        }
    }
    write_manifest(root, log, folder)
}

/// The rotated files of a log, oldest first.
pub(super) fn rotated_files(root: &Root, log: &RelPath) -> io::Result<Vec<RelPath>> {
    let folder = root.open_dir(log.parent().as_ref())?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().to_str()
            && is_rotated(log.file_name(), name)
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names.iter().filter_map(|name| beside(log, name)).collect())
}

/// How many records the rotated files have, as far as the manifest says.
pub(super) fn known_counts(root: &Root, log: &RelPath) -> Vec<(String, u64)> {
    let name = format!("{}.manifest.json", log.file_name());
    let manifest = read_manifest(root, log, &name);
    manifest.files.into_iter().map(|file| (file.file, file.records)).collect()
}

/// How many records a log has; none where it is larger than any that was written here.
pub(super) fn count_records(root: &Root, log: &RelPath) -> io::Result<u64> {
    let (file, stat) = root.open_file(log.as_str())?;
    if stat.st_size > MAX_OWN_BYTES {
        return Ok(0);
    }
    let mut bytes = Vec::new();
    file.take(stat.st_size.unsigned_abs()).read_to_end(&mut bytes)?;
    Ok(super::append::count_lines(&bytes))
}

fn read_manifest(root: &Root, log: &RelPath, name: &str) -> Manifest {
    let known = beside(log, name).and_then(|path| root.read_real(&path).ok());
    known.and_then(|(text, _)| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// `<log>.20260124T143000Z`, with a number behind it when several fell into one second.
fn is_rotated(log: &str, name: &str) -> bool {
    name.strip_prefix(log)
        .and_then(|rest| rest.strip_prefix('.'))
        .is_some_and(|rest| rest.len() >= 16 && rest.as_bytes()[0].is_ascii_digit() && rest.contains('T'))
}

fn write_manifest(root: &Root, log: &RelPath, folder: BorrowedFd<'_>) -> io::Result<()> {
    let name = format!("{}.manifest.json", log.file_name());
    let known = read_manifest(root, log, &name);
    let mut manifest = Manifest { version: 1, files: Vec::new() };
    for path in rotated_files(root, log)? {
        let noted = known.files.iter().find(|file| file.file == path.file_name());
        manifest.files.push(match noted {
            Some(noted) => noted.clone(),
            None => describe(root, &path)?,
        });
    }
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    let draft = format!("{name}.new");
    disk::remove_file(folder, &draft)?;
    let file = disk::create_file(folder, &draft)?;
    disk::make_private(&file, &draft)?;
    disk::write(&file, &draft, &text)?;
    disk::sync_file(&file, &draft)?;
    disk::rename((folder.as_fd(), &draft), (folder.as_fd(), &name), Onto::Anything)
}

fn describe(root: &Root, path: &RelPath) -> io::Result<RotatedFile> {
    let (file, stat) = root.open_file(path.as_str())?;
    let mut described = RotatedFile {
        file: path.file_name().to_owned(),
        records: 0,
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        start: None,
        end: None,
    };
    if stat.st_size > MAX_OWN_BYTES {
        return Ok(described);
    }
    let mut last = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        let line = line?;
        described.records += 1;
        if described.records == 1 {
            described.start = started_at(&line);
        }
        last = line;
    }
    described.end = started_at(&last);
    Ok(described)
}

/// When an operation began, or when a message went over the wire.
fn started_at(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    value.get("started_at").or_else(|| value.get("timestamp"))?.as_str().map(str::to_owned)
}

fn beside(log: &RelPath, name: &str) -> Option<RelPath> {
    match log.parent() {
        Some(parent) => parent.join(name).ok(),
        None => RelPath::parse(name).ok(),
    }
}
