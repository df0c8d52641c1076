//! One at a time on each file.
//!
//! Whoever changes a file reads it first, and what they write is made from what they read: two at once would lose what
//! one of them did. Within this server they wait for each other here, file by file; the folder is locked beside that, so
//! that other servers of ours wait too. Anybody else is noticed by looking again before the file is replaced.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::call::Call;
use crate::confine::Spot;
use crate::error::Result;

/// How often somebody who waits looks whether the call still goes on.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How soon a folder that another process has locked is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(1);
/// How long that is waited for: the lock may be held by a program that means something else by it.
const FOLDER_PATIENCE: Duration = Duration::from_secs(2);

/// The files that are being changed.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    taken: Mutex<Taken>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    names: HashSet<Name>,
    /// Locked for this whole process, as long as anybody in it uses them.
    folders: HashMap<Folder, Held>,
}

#[derive(Debug)]
struct Held {
    /// Unlocked when it is closed; `None` where it could not be locked.
    _lock: Option<OwnedFd>,
    users: usize,
}

/// Device and inode.
type Folder = (u64, u64);
type Name = (Folder, OsString);

/// The right to change some files; others wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    names: Vec<Name>,
    folders: Vec<Folder>,
}

impl Turns {
    /// Waits until nobody else changes what is at these spots.
    pub(crate) fn take(&self, spots: &[&Spot], call: &Call<'_>) -> Result<Turn<'_>> {
        let (mut names, mut folders) = (Vec::<Name>::new(), Vec::<(Folder, &Spot)>::new());
        for spot in spots {
            // A folder that cannot be looked at any more fails where it is used.
            let Ok(stat) = rustix::fs::fstat(&spot.folder) else { continue };
            let folder = (stat.st_dev, stat.st_ino);
            let name = (folder, spot.name()?.to_owned());
            if !names.contains(&name) {
                names.push(name);
            }
            if !folders.iter().any(|(known, _)| *known == folder) {
                folders.push((folder, spot));
            }
        }
        let give_up = Instant::now() + FOLDER_PATIENCE;
        let mut taken = self.lock();
        loop {
            let is_free = names.iter().all(|name| !taken.names.contains(name));
            if is_free && taken.lock_folders(&folders, Instant::now() >= give_up) {
                taken.names.extend(names.iter().cloned());
                let folders = folders.into_iter().map(|(folder, _)| folder).collect();
                return Ok(Turn { turns: self, names, folders });
            }
            call.check()?;
            let pause = if is_free { TRY_AGAIN } else { LOOK_EVERY };
            taken = self.freed.wait_timeout(taken, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Locks all folders or none; `anyway` goes on with those that cannot be locked.
    fn lock_folders(&mut self, folders: &[(Folder, &Spot)], anyway: bool) -> bool {
        let mut locked = Vec::new();
        for (folder, spot) in folders {
            if self.folders.contains_key(folder) {
                continue;
            }
            // A descriptor of its own: copies of one share their lock.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = rustix::fs::openat(&spot.folder, ".", flags, Mode::empty()).ok();
            let result =
                opened.as_ref().map(|fd| rustix::fs::flock(fd, FlockOperation::NonBlockingLockExclusive));
            if result == Some(Err(Errno::WOULDBLOCK)) && !anyway {
                return false;
            }
            locked.push((*folder, Held { _lock: opened, users: 0 }));
        }
        self.folders.extend(locked);
        for (folder, _) in folders {
            if let Some(held) = self.folders.get_mut(folder) {
                held.users += 1;
            }
        }
        true
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut taken = self.turns.lock();
        for name in &self.names {
            taken.names.remove(name);
        }
        for folder in &self.folders {
            let Some(held) = taken.folders.get_mut(folder) else { continue };
            held.users -= 1;
            if held.users == 0 {
                taken.folders.remove(folder);
            }
        }
        drop(taken);
        self.turns.freed.notify_all();
    }
}
