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

/// Rings when something happens in the folders that it hangs in.
#[derive(Debug)]
pub struct Bell {
    queue: platform::Queue,
    hung: Mutex<Hung>,
}

#[derive(Debug, Default)]
struct Hung {
    /// What each watch is in, and how many levels below it count.
    folders: HashMap<i32, (PathBuf, usize)>,
    /// Folders that were asked for and are watched.
    asked: HashSet<PathBuf>,
    /// Folders that came since, with the levels that count below them.
    new: Vec<(PathBuf, usize)>,
    /// Whether something may have been missed, so that silence means nothing.
    broken: bool,
}

impl Bell {
    /// Starts where all changes pass through this kernel; it hangs nowhere yet.
    pub fn start(root: &Path) -> Option<Self> {
        let open = Root::open(root).ok()?;
        if disk_of(&open, ".") != Disk::Local {
            return None;
        }
        Some(Self { queue: platform::Queue::open()?, hung: Mutex::default() })
    }

    /// Hangs it in a folder, and in all below it. A folder that is not there may be asked for again.
    pub fn hang_in_tree(&self, folder: &Path) {
        self.hang(folder, DEEPEST);
    }

    /// Hangs it in a folder alone.
    pub fn hang_in_folder(&self, folder: &Path) {
        self.hang(folder, 0);
    }

    /// Whether something has happened since this was asked last.
    pub fn has_rung(&self) -> bool {
        let mut hung = self.hung();
        let mut rang = false;
        loop {
            let events = match self.queue.read() {
                Ok(events) if events.is_empty() => return rang,
                Ok(events) => events,
                Err(error) => {
                    tracing::debug!(%error, "the watches cannot be read");
                    hung.broken = true;
                    return true;
                }
            };
            rang = true;
            for event in events {
                hung.note(event.watch, event.what, event.name.as_deref());
            }
        }
    }

    /// Hangs it in the folders that came since. Whatever stands in them by then is for the next look.
    pub fn follow(&self) {
        let new = std::mem::take(&mut self.hung().new);
        for (folder, below) in new {
            self.watch(&mut self.hung(), &folder, below);
        }
    }

    /// Whether its silence means anything.
    pub fn is_whole(&self) -> bool {
        !self.hung().broken
    }

    fn hang(&self, folder: &Path, below: usize) {
        let mut hung = self.hung();
        if !hung.asked.contains(folder) && self.watch(&mut hung, folder, below) {
            hung.asked.insert(folder.to_owned());
        }
    }

    /// Watches a folder first and looks into it then, so that nothing comes in between. False where there is none.
    fn watch(&self, hung: &mut Hung, folder: &Path, below: usize) -> bool {
        if hung.broken {
            return false;
        }
        // No link is followed: what it leads to belongs to somebody else.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return false;
        }
        match self.queue.add(folder) {
            Ok(watch) if hung.folders.len() < MOST => {
                hung.folders.insert(watch, (folder.to_owned(), below));
            }
            Err(error) if crate::beneath::is_missing(&error) => return false,
            _ => {
                tracing::debug!("no more watches; pages hear of changes a little later");
                hung.broken = true;
                return false;
            }
        }
        if below > 0 {
            let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                self.watch(hung, &entry.path(), below - 1);
            }
        }
        true
    }

    fn hung(&self) -> MutexGuard<'_, Hung> {
        self.hung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hung {
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

    fn bell() -> (tempfile::TempDir, Bell) {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("specs/one")).unwrap();
        fs_err::create_dir_all(dir.path().join("flat/below")).unwrap();
        let bell = Bell::start(dir.path()).expect("a temporary folder is on a local disk");
        bell.hang_in_tree(&dir.path().join("specs"));
        bell.hang_in_folder(&dir.path().join("flat"));
        (dir, bell)
    }

    #[test]
    fn it_rings_for_what_happens_and_is_silent_else() {
        let (dir, bell) = bell();
        assert!(!bell.has_rung());
        fs_err::write(dir.path().join("specs/one/spec.md"), "one").unwrap();
        assert!(bell.has_rung());
        assert!(!bell.has_rung());
        drop(fs_err::read(dir.path().join("specs/one/spec.md")).unwrap());
        fs_err::write(dir.path().join("flat/below/file"), "not asked for").unwrap();
        fs_err::write(dir.path().join("elsewhere"), "not asked for").unwrap();
        assert!(!bell.has_rung());
        fs_err::write(dir.path().join("flat/file"), "here").unwrap();
        assert!(bell.has_rung());
    }

    #[test]
    fn it_follows_folders_that_come_and_forgets_those_that_go() {
        let (dir, bell) = bell();
        fs_err::create_dir_all(dir.path().join("specs/two/deep")).unwrap();
        assert!(bell.has_rung());
        bell.follow();
        bell.has_rung();
        fs_err::write(dir.path().join("specs/two/deep/spec.md"), "two").unwrap();
        assert!(bell.has_rung());
        fs_err::rename(dir.path().join("specs/two"), dir.path().join("specs/three")).unwrap();
        assert!(bell.has_rung());
        bell.follow();
        fs_err::write(dir.path().join("specs/three/deep/spec.md"), "three").unwrap();
        assert!(bell.has_rung());
        fs_err::remove_dir_all(dir.path().join("specs")).unwrap();
        assert!(bell.has_rung());
        fs_err::create_dir_all(dir.path().join("specs")).unwrap();
        bell.hang_in_tree(&dir.path().join("specs"));
        bell.has_rung();
        fs_err::write(dir.path().join("specs/new"), "back").unwrap();
        assert!(bell.has_rung() && bell.is_whole());
    }
}
