//! Tells that something has happened in some folders, at once and for next to nothing. What it was is for others to find out.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{What, disk_of, platform};
use crate::beneath::Root;
use crate::stamp::Disk;

/// In more folders silence is not worth so much of the kernel's memory.
const MOST: usize = 40_000;
/// Deeper nobody keeps documents.
const DEEPEST: usize = 16;

/// Knows whether something has happened in the folders that it watches.
#[derive(Debug)]
pub struct FolderWatcher {
    queue: platform::Queue,
    watched: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    /// What each watch is in, and how many levels below it count.
    folders: HashMap<i32, (PathBuf, usize)>,
    /// Folders that were asked for and are watched.
    asked: HashSet<PathBuf>,
    /// Folders that came since, with the levels that count below them.
    new: Vec<(PathBuf, usize)>,
    /// Whether something may have been missed, so that silence means nothing.
    broken: bool,
}

impl FolderWatcher {
    /// Starts where all changes pass through this kernel; it watches nothing yet.
    pub fn start(root: &Path) -> Option<Self> {
        let open = Root::open(root).ok()?;
        if disk_of(&open, ".") != Disk::Local {
            return None;
        }
        Some(Self { queue: platform::Queue::open()?, watched: Mutex::default() })
    }

    /// Watches a folder, and all below it. A folder that is not there may be asked for again.
    pub fn add_tree(&self, folder: &Path) {
        self.add(folder, DEEPEST);
    }

    /// Watches a folder alone.
    pub fn add_folder(&self, folder: &Path) {
        self.add(folder, 0);
    }

    /// Whether something has happened since this was asked last.
    pub fn has_changed(&self) -> bool {
        let mut watched = self.watched();
        let mut happened = false;
        loop {
            let events = match self.queue.read() {
                Ok(events) if events.is_empty() => return happened,
                Ok(events) => events,
                Err(error) => {
                    tracing::debug!(%error, "the watches cannot be read");
                    watched.broken = true;
                    return true;
                }
            };
            happened = true;
            for event in events {
                watched.note(event.watch, event.what, event.name.as_deref());
            }
        }
    }

    /// Watches the folders that came since. Whatever stands in them by then is for the next look.
    pub fn follow(&self) {
        let new = std::mem::take(&mut self.watched().new);
        for (folder, below) in new {
            self.watch(&mut self.watched(), &folder, below);
        }
    }

    /// Whether its silence means anything.
    pub fn is_whole(&self) -> bool {
        !self.watched().broken
    }

    fn add(&self, folder: &Path, below: usize) {
        let mut watched = self.watched();
        if !watched.asked.contains(folder) && self.watch(&mut watched, folder, below) {
            watched.asked.insert(folder.to_owned());
        }
    }

    /// Watches a folder first and looks into it then, so that nothing comes in between. False where there is none.
    fn watch(&self, watched: &mut Watched, folder: &Path, below: usize) -> bool {
        if watched.broken {
            return false;
        }
        // No link is followed: what it leads to belongs to somebody else.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return false;
        }
        match self.queue.add(folder) {
            Ok(watch) if watched.folders.len() < MOST => {
                watched.folders.insert(watch, (folder.to_owned(), below));
            }
            Err(error) if crate::beneath::is_missing(&error) => return false,
            _ => {
                tracing::debug!("no more watches; pages hear of changes a little later");
                watched.broken = true;
                return false;
            }
        }
        if below > 0 {
            let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                self.watch(watched, &entry.path(), below - 1);
            }
        }
        true
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    fn note(&mut self, watch: i32, what: What, name: Option<&str>) {
        match what {
            What::Lost => self.broken = true,
            What::Unwatched => {
                if let Some((folder, _)) = self.folders.remove(&watch) {
                    self.asked.remove(&folder);
                }
            }
            What::Names => {
                let Some((folder, below)) = self.folders.get(&watch) else { return };
                if let Some(rest) = below.checked_sub(1) {
                    // A name that is no text: the whole folder is looked at again.
                    let new = name.map_or_else(|| (folder.clone(), *below), |name| (folder.join(name), rest));
                    self.new.push(new);
                }
            }
            What::Content | What::Itself => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watcher() -> (tempfile::TempDir, FolderWatcher) {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("specs/one")).unwrap();
        fs_err::create_dir_all(dir.path().join("flat/below")).unwrap();
        let watcher = FolderWatcher::start(dir.path()).expect("a temporary folder is on a local disk");
        watcher.add_tree(&dir.path().join("specs"));
        watcher.add_folder(&dir.path().join("flat"));
        (dir, watcher)
    }

    #[test]
    fn it_rings_for_what_happens_and_is_silent_else() {
        let (dir, watcher) = watcher();
        assert!(!watcher.has_changed());
        fs_err::write(dir.path().join("specs/one/spec.md"), "one").unwrap();
        assert!(watcher.has_changed());
        assert!(!watcher.has_changed());
        drop(fs_err::read(dir.path().join("specs/one/spec.md")).unwrap());
        fs_err::write(dir.path().join("flat/below/file"), "not asked for").unwrap();
        fs_err::write(dir.path().join("elsewhere"), "not asked for").unwrap();
        assert!(!watcher.has_changed());
        fs_err::write(dir.path().join("flat/file"), "here").unwrap();
        assert!(watcher.has_changed());
    }

    #[test]
    fn it_follows_folders_that_come_and_forgets_those_that_go() {
        let (dir, watcher) = watcher();
        fs_err::create_dir_all(dir.path().join("specs/two/deep")).unwrap();
        assert!(watcher.has_changed());
        watcher.follow();
        watcher.has_changed();
        fs_err::write(dir.path().join("specs/two/deep/spec.md"), "two").unwrap();
        assert!(watcher.has_changed());
        fs_err::rename(dir.path().join("specs/two"), dir.path().join("specs/three")).unwrap();
        assert!(watcher.has_changed());
        watcher.follow();
        fs_err::write(dir.path().join("specs/three/deep/spec.md"), "three").unwrap();
        assert!(watcher.has_changed());
        fs_err::remove_dir_all(dir.path().join("specs")).unwrap();
        assert!(watcher.has_changed());
        fs_err::create_dir_all(dir.path().join("specs")).unwrap();
        watcher.add_tree(&dir.path().join("specs"));
        watcher.has_changed();
        fs_err::write(dir.path().join("specs/new"), "back").unwrap();
        assert!(watcher.has_changed() && watcher.is_whole());
    }
}
