//! Which records of the operation log are wanted, and the files they stand in.

use std::fs::File;
use std::io;

use jiff::{SignedDuration, Timestamp};

use super::append::LOCK;
use super::operation::{OperationEnvelope, OperationStatus};
use super::rotate::{count_records, known_counts, rotated_files};
use crate::beneath::{Root, is_missing};
use crate::error::FileError;
use crate::layout::Layout;
use crate::path::RelPath;

/// How far the clocks of several processes may be apart.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

/// Which records are wanted; every condition has to hold.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub session_id: Option<String>,
    pub capability_id: Option<String>,
    pub status: Option<OperationStatus>,
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

    /// Whether everything that was written before this record is too old: records are appended as operations end.
    pub(super) fn is_past(&self, envelope: &OperationEnvelope) -> bool {
        let ended = envelope.finished_at.unwrap_or(envelope.started_at);
        self.since.is_some_and(|since| since.duration_since(ended) > SKEW)
    }

    fn covers(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
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
            match root.open_file(path.as_str()) {
                Ok((file, _)) => files.push((file, records)),
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(files)
    })
    .map_err(failed())
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
