//! Whether anything has happened in a tree.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{disk_of, platform};
use crate::beneath::Root;
use crate::stamp::Disk;

/// Watches the folders of a tree and says whether anything has happened in any of them.
#[derive(Debug)]
pub struct TreeWatcher {
    queue: platform::Queue,
    watched: AtomicUsize,
    failed: AtomicBool,
}

impl TreeWatcher {
    /// In a larger tree silence is not worth so much of the kernel's memory.
    const MOST: usize = 20_000;

    /// Starts where all changes pass through this kernel; nothing is watched yet.
    pub fn start(root: &Path) -> Option<Self> {
        let open = Root::open(root).ok()?;
        if disk_of(&open, ".") != Disk::Local {
            return None;
        }
        let queue = platform::Queue::open()?;
        Some(Self { queue, watched: AtomicUsize::new(0), failed: AtomicBool::new(false) })
    }

    /// Watches a folder from now on, but not those in it.
    pub fn add(&self, folder: &Path) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        if self.watched.fetch_add(1, Ordering::Relaxed) >= Self::MOST || self.queue.add(folder).is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing has happened since. Once something has, nobody can tell any more.
    pub fn holds(&self) -> bool {
        if self.failed.load(Ordering::Relaxed) {
            return false;
        }
        let is_silent = matches!(self.queue.read(), Ok(events) if events.is_empty());
        if !is_silent {
            self.failed.store(true, Ordering::Relaxed);
        }
        is_silent
    }
}
