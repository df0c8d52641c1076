//! Which records of the operation log are wanted, and the files they stand in.

use std::borrow::Cow;
use std::fs::File;
use std::io;

use jiff::{SignedDuration, Timestamp};
use memchr::memmem::Finder;
use serde::Deserialize;

use super::append::LOCK;
use super::operation::OperationStatus;
use super::rotate::{count_records, known_counts, rotated_files};
use crate::beneath::{Root, is_missing};
use crate::doc::MAX_OWN_BYTES;
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
    /// Whose they are.
    pub principal: Option<String>,
}

impl LogFilter {
    /// Texts that every record that is wanted contains.
    pub(super) fn needles(&self) -> Vec<Finder<'static>> {
        let status = self.status.map(|status| format!("\"{}\"", status.as_str()));
        let needles = [self.session_id.as_ref(), self.capability_id.as_ref(), status.as_ref()];
        needles.into_iter().flatten().map(|needle| Finder::new(needle).into_owned()).collect()
    }

    pub(super) fn accepts(&self, record: &Gist<'_>) -> bool {
        self.covers(record.started_at)
            && self.session_id.as_ref().is_none_or(|session| *session == record.session_id)
            && self.capability_id.as_ref().is_none_or(|capability| *capability == record.capability_id)
            && self.status.is_none_or(|status| status == record.status)
            && self
                .principal
                .as_deref()
                .is_none_or(|principal| record.principal.as_deref() == Some(principal))
    }

    /// Whether everything that was written before this record is too old: records are appended as operations end.
    pub(super) fn is_past(&self, record: &Gist<'_>) -> bool {
        let ended = record.finished_at.unwrap_or(record.started_at);
        self.since.is_some_and(|since| since.duration_since(ended) > SKEW)
    }

    fn covers(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
}

/// What of a record decides whether it is wanted. The rest need not be read for that.
#[derive(Debug, Deserialize)]
pub(super) struct Gist<'l> {
    #[serde(borrow)]
    session_id: Cow<'l, str>,
    #[serde(borrow)]
    capability_id: Cow<'l, str>,
    #[serde(borrow, default)]
    principal: Option<Cow<'l, str>>,
    started_at: Timestamp,
    #[serde(default, alias = "ended_at")]
    finished_at: Option<Timestamp>,
    status: OperationStatus,
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
                // Nobody here wrote so large a log.
                Ok((_, stat)) if stat.st_size > MAX_OWN_BYTES => {}
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
