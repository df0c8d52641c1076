//! Reads the logs back, newest or oldest first, across rotated files. A line that is damaged is passed over.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};

use jiff::Timestamp;
use serde_json::Value;

use super::append::LOCK;
use super::lines::LinesBackwards;
use super::operation::{OperationEnvelope, OperationStatus};
use super::rotate::{count_records, known_counts, rotated_files};
use super::wire::session_name;
use crate::beneath::{Root, is_missing};
use crate::error::FileError;
use crate::layout::Layout;
use crate::path::RelPath;

/// Which records are wanted; every condition has to hold.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub session_id: Option<String>,
    /// Of operations only.
    pub capability_id: Option<String>,
    /// Of operations only.
    pub status: Option<OperationStatus>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogOrder {
    NewestFirst,
    /// Operations are all read before the first one is given out.
    OldestFirst,
}

/// The envelopes of the operation log; of an operation that was logged twice, the later one.
#[derive(Debug)]
pub struct Operations {
    source: OperationSource,
}

#[derive(Debug)]
enum OperationSource {
    Backwards(Box<Backwards>),
    Collected(std::vec::IntoIter<OperationEnvelope>),
}

#[derive(Debug)]
struct Backwards {
    lines: Lines,
    filter: LogFilter,
    seen: HashSet<String>,
}

/// The lines of the wire log, as they stand there.
#[derive(Debug)]
pub struct WireLines {
    lines: Lines,
    filter: LogFilter,
}

/// Opens the operation log.
pub fn read_operations(layout: &Layout, filter: LogFilter, order: LogOrder) -> Result<Operations, FileError> {
    let files = open_log(layout)?.into_iter().rev().map(|(file, _)| file).collect();
    let lines = Lines { files, current: None, order: LogOrder::NewestFirst };
    let backwards = Box::new(Backwards { lines, filter, seen: HashSet::new() });
    let backwards = Operations { source: OperationSource::Backwards(backwards) };
    if order == LogOrder::NewestFirst {
        return Ok(backwards);
    }
    let mut all: Vec<OperationEnvelope> = backwards.collect();
    all.reverse();
    Ok(Operations { source: OperationSource::Collected(all.into_iter()) })
}

/// The files of the operation log, oldest first, with how many records each has.
pub(super) fn open_log(layout: &Layout) -> Result<Vec<(File, u64)>, FileError> {
    let (place, log) = layout.operation_log();
    let failed = || FileError::at("read the log", log);
    let root = match Root::open(place) {
        Ok(root) => root,
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    with_lock(&root, log, || {
        let counts = known_counts(&root, log);
        let mut paths = rotated_files(&root, log)?;
        paths.push(log.clone());
        let mut files = Vec::new();
        for path in paths {
            let records = match counts.iter().find(|(name, _)| name == path.file_name()) {
                Some((_, records)) => *records,
                None => match count_records(&root, &path) {
                    Ok(records) => records,
                    Err(error) if is_missing(&error) => continue,
                    Err(error) => return Err(error),
                },
            };
            files.extend(open_all(&root, &[path])?.into_iter().map(|file| (file, records)));
        }
        Ok(files)
    })
    .map_err(failed())
}

/// Opens the wire log: the file of the session that the filter names, else all daily files.
pub fn read_wire_log(layout: &Layout, filter: LogFilter, order: LogOrder) -> Result<WireLines, FileError> {
    let folder = &layout.places().wire_logs;
    let failed = || FileError::at("read the log", folder);
    let root = Root::open(layout.state_root()).map_err(failed())?;
    let mut names = match &filter.session_id {
        Some(session) => vec![session_name(session)],
        None => daily_names(&root, folder, &filter).map_err(failed())?,
    };
    if order == LogOrder::NewestFirst {
        names.reverse();
    }
    let paths: Vec<RelPath> = names.iter().filter_map(|name| folder.join(name).ok()).collect();
    let files = open_all(&root, &paths).map_err(failed())?;
    Ok(WireLines { lines: Lines { files, current: None, order }, filter })
}

impl Iterator for Operations {
    type Item = OperationEnvelope;
    fn next(&mut self) -> Option<OperationEnvelope> {
        match &mut self.source {
            OperationSource::Collected(all) => all.next(),
            OperationSource::Backwards(backwards) => backwards.next(),
        }
    }
}

impl Backwards {
    fn next(&mut self) -> Option<OperationEnvelope> {
        loop {
            let line = self.lines.next_line()?;
            let Ok(envelope) = serde_json::from_slice::<OperationEnvelope>(&line) else { continue };
            if self.seen.insert(envelope.operation_id.clone()) && self.filter.accepts(&envelope) {
                return Some(envelope);
            }
        }
    }
}

impl Iterator for WireLines {
    type Item = Value;
    fn next(&mut self) -> Option<Value> {
        loop {
            let line = self.lines.next_line()?;
            let Ok(value) = serde_json::from_slice::<Value>(&line) else { continue };
            let at = value.get("timestamp").and_then(Value::as_str).and_then(|text| text.parse().ok());
            if at.is_some_and(|at| self.filter.covers(at)) {
                return Some(value);
            }
        }
    }
}

impl LogFilter {
    /// Texts that every record that is wanted contains.
    pub(super) fn needles(&self) -> Vec<String> {
        let status = self.status.map(|status| format!("\"{}\"", status.as_str()));
        [self.session_id.clone(), self.capability_id.clone(), status].into_iter().flatten().collect()
    }

    pub(super) fn accepts(&self, envelope: &OperationEnvelope) -> bool {
        self.covers(envelope.started_at)
            && self.session_id.as_ref().is_none_or(|session| *session == envelope.session_id)
            && self.capability_id.as_ref().is_none_or(|capability| *capability == envelope.capability_id)
            && self.status.is_none_or(|status| status == envelope.status)
    }

    fn covers(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
}

/// The lines of several files, one file after the other.
#[derive(Debug)]
struct Lines {
    files: VecDeque<File>,
    current: Option<FileLines>,
    order: LogOrder,
}

#[derive(Debug)]
enum FileLines {
    Backwards(LinesBackwards),
    Forwards(io::Split<BufReader<File>>),
}

impl Lines {
    fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let line = match &mut self.current {
                None => None,
                Some(FileLines::Backwards(lines)) => lines.next(),
                Some(FileLines::Forwards(lines)) => lines.next(),
            };
            match line {
                Some(Ok(line)) => return Some(line),
                Some(Err(error)) => {
                    tracing::debug!(%error, "the rest of a log cannot be read");
                    self.current = None;
                }
                None => {
                    let file = self.files.pop_front()?;
                    self.current = match self.order {
                        LogOrder::NewestFirst => LinesBackwards::new(file).ok().map(FileLines::Backwards),
                        LogOrder::OldestFirst => Some(FileLines::Forwards(BufReader::new(file).split(b'\n'))),
                    };
                }
            }
        }
    }
}

fn open_all(root: &Root, paths: &[RelPath]) -> io::Result<VecDeque<File>> {
    let mut files = VecDeque::new();
    for path in paths {
        match root.open_file(path.as_str()) {
            Ok((file, _)) => files.push_back(file),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

/// Keeps rotation away while the files are opened; later it does no harm.
fn with_lock<T: Default>(root: &Root, log: &RelPath, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let lock = log.parent().and_then(|folder| folder.join(LOCK).ok());
    let held = lock.and_then(|lock| root.open_file(lock.as_str()).ok());
    if let Some((file, _)) = &held {
        file.lock_shared()?;
    }
    match work() {
        // There is no folder of logs yet.
        Err(error) if is_missing(&error) => Ok(T::default()),
        result => result,
    }
}

/// The daily files that may have something to say, oldest first.
fn daily_names(root: &Root, folder: &RelPath, filter: &LogFilter) -> io::Result<Vec<String>> {
    let open = match root.open_dir(Some(folder)) {
        Ok(open) => open,
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let day = |at: Timestamp| super::wire::daily_name(at);
    let (first, last) = (filter.since.map(day), filter.until.map(day));
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&open)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        let wanted = is_daily(name)
            && first.as_deref().is_none_or(|first| name >= first)
            && last.as_deref().is_none_or(|last| name <= last);
        if wanted {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// `2026-01-24.jsonl`.
fn is_daily(name: &str) -> bool {
    let is_date = |day: &str| {
        let fits = |(index, byte): (usize, u8)| {
            if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
        };
        day.len() == 10 && day.bytes().enumerate().all(fits)
    };
    name.strip_suffix(".jsonl").is_some_and(is_date)
}
