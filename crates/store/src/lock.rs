//! One write lock per workspace: a flag inside the process, and `flock` on a file between processes (D-8). A file of
//! the machine's own can be kept from others in the same way.
//!
//! The kernel drops a file lock with its process, so a dead holder blocks nobody. The file names the holder for
//! the message to whoever waits in vain; nothing is decided by its text.

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use hewto_core::interrupt::Interrupted;
use rustix::fs::AtFlags;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::beneath::{Root, is_missing};
use crate::context::Context;
use crate::error::FileError;
use crate::journal::RecoverError;
use crate::layout::Places;
use crate::path::RelPath;
use crate::{disk, state_dir};

/// How long a waiter sleeps before it looks again: short at first, so that short commits hand over fast.
const FIRST_NAP: Duration = Duration::from_micros(200);
const LONGEST_NAP: Duration = Duration::from_millis(5);
/// How often a thread that waits for another thread looks at its own deadline.
const CHECK_EVERY: Duration = Duration::from_millis(20);

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
pub enum Tenure {
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

/// The in-process half of the lock.
#[derive(Debug, Default)]
pub(crate) struct WriteLock {
    /// The thread that holds the lock or waits for other processes to give it up.
    taken: Mutex<Option<ThreadId>>,
    freed: Condvar,
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    // Dropped first: other processes may go on before other threads do.
    _file: LockFile,
    _turn: Turn,
}

/// A file that only its holder works on, until this is dropped.
#[derive(Debug)]
pub struct StateGuard {
    _file: LockFile,
}

#[derive(Debug)]
struct LockFile(File);

#[derive(Debug)]
struct Turn(Arc<WriteLock>);

impl WriteLock {
    /// Takes the lock, waiting as long as the context allows.
    pub(crate) fn acquire(
        self: &Arc<Self>,
        context: &Context,
        root: &Root,
        places: &Places,
    ) -> Result<Held, LockError> {
        context.check()?;
        let turn = self.take_turn(context).map_err(|why| give_up(why, root, &places.lock))?;
        let file = wait_for_file(context, root, places, &places.lock)?;
        Ok(Held { _file: file, _turn: turn })
    }

    fn take_turn(self: &Arc<Self>, context: &Context) -> Result<Turn, Interrupted> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while taken.is_some() {
            context.check()?;
            taken = self.freed.wait_timeout(taken, CHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = Some(std::thread::current().id());
        Ok(Turn(Arc::clone(self)))
    }

    /// Whether this thread would wait for itself.
    pub(crate) fn is_held_here(&self) -> bool {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken == Some(std::thread::current().id())
    }
}

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

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.freed.notify_one();
    }
}

fn wait_for_file(
    context: &Context,
    root: &Root,
    places: &Places,
    path: &RelPath,
) -> Result<LockFile, LockError> {
    let mut nap = FIRST_NAP;
    loop {
        if let Some(file) = try_lock_file(root, places, path)? {
            write_holder(&file, context);
            return Ok(LockFile(file));
        }
        context.check().map_err(|why| give_up(why, root, path))?;
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
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
pub(crate) fn tenure(root: &Root, places: &Places) -> Result<Tenure, FileError> {
    let file = match root.open_file(places.lock.as_str()) {
        Ok((file, _)) => file,
        Err(error) if is_missing(&error) => return Ok(Tenure::Free),
        Err(error) => return Err(FileError::at("look at the lock", &places.lock)(error)),
    };
    // Shared, so that those who only look do not keep each other out.
    match file.try_lock_shared() {
        Ok(()) => Ok(Tenure::Free),
        Err(TryLockError::WouldBlock) => {
            Ok(read_holder(root, &places.lock).map_or(Tenure::Unknown, Tenure::Held))
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
mod tests {
    use super::*;
    use crate::context::Caller;
    use crate::layout::Layout;

    fn setting() -> (tempfile::TempDir, Root, Places) {
        let dir = tempfile::tempdir().unwrap();
        let path = fs_err::canonicalize(dir.path()).unwrap();
        let root = Root::open(&path).unwrap();
        (dir, root, Layout::load(&path).places().clone())
    }

    fn patient() -> Context {
        let caller = Caller { operation: "spec_create".into(), ..Context::background().caller().clone() };
        Context::background().with_caller(caller)
    }

    #[test]
    fn whoever_waits_in_vain_is_told_who_holds_the_lock() {
        let (_dir, root, places) = setting();
        let lock = Arc::new(WriteLock::default());
        let held = lock.acquire(&patient(), &root, &places).unwrap();
        // The same process, and another one that shares only the file.
        for other in [Arc::clone(&lock), Arc::default()] {
            let brief = patient().with_timeout(Duration::from_millis(300));
            let error = other.acquire(&brief, &root, &places).unwrap_err();
            let LockError::Busy { holder: Some(holder) } = error else { panic!("{error}") };
            assert_eq!((holder.pid, holder.operation.as_str()), (std::process::id(), "spec_create"));
        }
        drop(held);
        assert!(lock.acquire(&patient(), &root, &places).is_ok());
    }

    #[test]
    fn a_file_of_its_own_is_kept_from_others_and_nothing_else_is() {
        let (_dir, root, places) = setting();
        let path = places.clarify.join("lock").unwrap();
        let held = StateGuard::acquire(&patient(), &root, &places, &path).unwrap();
        let brief = patient().with_timeout(Duration::from_millis(300));
        let error = StateGuard::acquire(&brief, &root, &places, &path).unwrap_err();
        assert!(matches!(error, LockError::Busy { holder: Some(_) }), "{error}");
        assert!(Arc::new(WriteLock::default()).acquire(&patient(), &root, &places).is_ok());
        drop(held);
        assert!(StateGuard::acquire(&patient(), &root, &places, &path).is_ok());
    }

    #[test]
    fn a_waiter_can_be_cancelled() {
        let (_dir, root, places) = setting();
        let lock = Arc::new(WriteLock::default());
        let _held = lock.acquire(&patient(), &root, &places).unwrap();
        let context = Context::background();
        context.cancellation().cancel();
        let error = lock.acquire(&context, &root, &places).unwrap_err();
        assert!(matches!(error, LockError::Interrupted(Interrupted::Cancelled)));
    }

    #[test]
    fn a_lock_file_that_was_deleted_locks_nobody_out_for_ever() {
        let (dir, root, places) = setting();
        let lock = Arc::new(WriteLock::default());
        let held = lock.acquire(&patient(), &root, &places).unwrap();
        fs_err::remove_dir_all(dir.path().join(".hewto")).unwrap();
        drop(held);
        assert!(lock.acquire(&patient(), &root, &places).is_ok());
    }

    #[test]
    fn the_first_lock_writes_the_gitignore_of_its_folder() {
        let (dir, root, places) = setting();
        drop(Arc::new(WriteLock::default()).acquire(&patient(), &root, &places).unwrap());
        let text = fs_err::read_to_string(dir.path().join(".hewto/.gitignore")).unwrap();
        assert!(text.contains("/journal/\n"));
    }
}
