//! One write lock per workspace: a flag inside the process, and `flock` on a file between processes (D-8). A file of
//! the machine's own can be kept from others in the same way.
//!
//! The kernel drops a file lock with its process, so a dead holder blocks nobody. The file names the holder for
//! the message to whoever waits in vain; nothing is decided by its text.

mod turns;

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use hewto_core::interrupt::Interrupted;
use rustix::fs::AtFlags;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use self::turns::{Held, Taken, WriteLock};
use crate::beneath::{Root, is_missing};
use crate::context::Context;
use crate::error::FileError;
use crate::journal::RecoverError;
use crate::layout::Places;
use crate::path::RelPath;
use crate::{disk, state_dir};

/// How long a waiter sleeps before it looks again: short at first, so that short commits hand over fast.
const FIRST_NAP: Duration = Duration::from_micros(200);
/// Long enough to cost little, and short enough that the lock does not lie idle for as long as a commit takes.
const NAP: Duration = Duration::from_micros(800);
/// How long somebody waits who has waited long already, and how long that is.
const LONGEST_NAP: Duration = Duration::from_millis(5);
const PATIENCE: Duration = Duration::from_millis(200);
/// How often a thread that waits for another thread looks at its own deadline.
pub(crate) const CHECK_EVERY: Duration = Duration::from_millis(20);
/// How long a thread may be passed over by others that come after it; not at all where the order is looked at.
const IN_LINE: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 10 });

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub operation: String,
    pub since: String,
}

/// Whether the lock is held, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockState {
    Free,
    Held(Holder),
    /// By somebody who has not written down who he is.
    Unknown,
}

/// Why the lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    #[error("the workspace is locked by {}", describe(holder.as_ref()))]
    Busy { holder: Option<Holder> },
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("an earlier write could not be finished")]
    Unfinished(#[from] RecoverError),
}

impl LockError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "wait for it to finish, then try again",
            Self::Interrupted(_) => "try again, with more time if the workspace is busy",
            Self::File(error) => error.hint(),
            Self::Unfinished(error) => error.hint(),
        }
    }
}

/// A file that only its holder works on, until this is dropped.
#[derive(Debug)]
pub struct StateGuard {
    _file: LockFile,
}

#[derive(Debug)]
struct LockFile(File);

impl StateGuard {
    /// Locks a file that stands for others of the machine's part, waiting as long as the context allows. Everybody
    /// opens the file for themselves, so threads keep each other out as processes do.
    pub(crate) fn acquire(
        context: &Context,
        root: &Root,
        places: &Places,
        path: &RelPath,
    ) -> Result<Self, LockError> {
        context.check()?;
        Ok(Self { _file: wait_for_file(context, root, places, path)? })
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Nobody holds it any more; a name left behind by a crash is harmless.
        let _ = disk::overwrite(&self.0, "lock", b"");
    }
}

fn wait_for_file(
    context: &Context,
    root: &Root,
    places: &Places,
    path: &RelPath,
) -> Result<LockFile, LockError> {
    let (begin, mut nap) = (Instant::now(), FIRST_NAP);
    loop {
        if let Some(file) = try_lock_file(root, places, path)? {
            write_holder(&file, context);
            return Ok(LockFile(file));
        }
        context.check().map_err(|why| give_up(why, root, path))?;
        std::thread::sleep(nap);
        nap = (nap * 2).min(if begin.elapsed() < PATIENCE { NAP } else { LONGEST_NAP });
    }
}

fn try_lock_file(root: &Root, places: &Places, path: &RelPath) -> Result<Option<File>, FileError> {
    let failed = || FileError::at("lock the workspace", path);
    let folder = state_dir::ensure_parent(root, places, path).map_err(failed())?;
    let name = path.file_name();
    let file = disk::open_lock(folder.as_fd(), name).map_err(failed())?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(failed()(error)),
    }
    // Somebody may have deleted the file meanwhile: then this lock keeps nobody out.
    let ours = rustix::fs::fstat(&file).map_err(|error| failed()(error.into()))?;
    match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) if (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino) => Ok(Some(file)),
        _ => Ok(None),
    }
}

fn write_holder(file: &File, context: &Context) {
    let holder = Holder {
        pid: std::process::id(),
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        operation: context.caller().operation.clone(),
        since: context.now_rfc3339(),
    };
    let text = serde_json::to_vec(&holder).expect("a holder is plain data");
    if let Err(error) = disk::overwrite(file, "lock", &text) {
        tracing::debug!(%error, "the lock's holder could not be named");
    }
}

/// Who holds the lock now. Takes nothing and makes nothing.
pub(crate) fn tenure(root: &Root, places: &Places) -> Result<LockState, FileError> {
    let file = match root.open_file(places.lock.as_str()) {
        Ok((file, _)) => file,
        Err(error) if is_missing(&error) => return Ok(LockState::Free),
        Err(error) => return Err(FileError::at("look at the lock", &places.lock)(error)),
    };
    // Shared, so that those who only look do not keep each other out.
    match file.try_lock_shared() {
        Ok(()) => Ok(LockState::Free),
        Err(TryLockError::WouldBlock) => {
            Ok(read_holder(root, &places.lock).map_or(LockState::Unknown, LockState::Held))
        }
        Err(TryLockError::Error(error)) => Err(FileError::at("look at the lock", &places.lock)(error)),
    }
}

/// Keeps writers out for a moment without writing anything, for a reader that finds no quiet one; `None` when nobody
/// leaves it one in time.
pub(crate) fn wait_for_quiet(context: &Context, root: &Root, places: &Places) -> Option<File> {
    let (file, _) = root.open_file(places.lock.as_str()).ok()?;
    let mut nap = FIRST_NAP;
    while file.try_lock_shared().is_err() {
        context.check().ok()?;
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
    Some(file)
}

fn give_up(why: Interrupted, root: &Root, path: &RelPath) -> LockError {
    match why {
        Interrupted::Cancelled => why.into(),
        Interrupted::TimedOut => LockError::Busy { holder: read_holder(root, path) },
    }
}

fn read_holder(root: &Root, path: &RelPath) -> Option<Holder> {
    let (mut file, _) = root.open_file(path.as_str()).ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn describe(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, host, operation, since }) => {
            format!("process {pid} on {host} (`{operation}`, since {since})")
        }
        None => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests;
