//! Watches the folders of the spec roots through inotify, so that a call learns what changed without looking (D-9).
//!
//! The descriptor is drained at the start of a call; no thread waits for it. Where it cannot be trusted (network
//! file systems, a full queue, no watches left) it says so, and the stat scan does the work.

mod folders;
mod tree;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::folders::FolderWatcher;
pub use self::tree::TreeWatcher;
use crate::beneath::Root;
use crate::folder::News;
use crate::index::Key;
use crate::layout::{PLAN_FILE, SPEC_FILE, STATE_FILE, Shelf};
use crate::stamp::Disk;

/// What the watches reported.
#[derive(Debug)]
pub(crate) enum Report {
    /// Only these folders may have changed.
    Folders(BTreeMap<Key, News>),
    /// Too much happened, or something that nobody can make sense of.
    Lost,
}

/// Whether a file system belongs to this machine: then all changes pass through this kernel.
pub(crate) fn disk_of(root: &Root, path: &str) -> Disk {
    platform::disk_of(root, path)
}

#[derive(Debug)]
pub(crate) struct Watcher {
    queue: platform::Queue,
    /// A folder has one watch, by however many names it is known.
    keys: HashMap<i32, Vec<Key>>,
    exhausted: AtomicBool,
}

impl Watcher {
    /// Starts watching; nothing is watched yet.
    pub(crate) fn start() -> Option<Self> {
        let queue = platform::Queue::open()?;
        Some(Self { queue, keys: HashMap::new(), exhausted: AtomicBool::new(false) })
    }

    /// Watches an open folder from now on. Whatever happens after this call is reported.
    pub(crate) fn add(&self, folder: &OwnedFd) -> Option<i32> {
        match self.queue.add(Path::new(&format!("/proc/self/fd/{}", folder.as_raw_fd()))) {
            Ok(watch) => Some(watch),
            // It vanished in the meantime: the folder above reports that.
            Err(error) if crate::beneath::is_missing(&error) => None,
            Err(error) => {
                tracing::debug!(%error, "no more watches; falling back to scanning");
                self.exhausted.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Whether some folder could not be watched, so that silence means nothing.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    /// Remembers whose watch this is. A folder that moved keeps its watch under its new name.
    pub(crate) fn note(&mut self, watch: i32, key: Key) {
        let keys = self.keys.entry(watch).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }

    /// Stops watching a folder, unless its watch has passed to another name.
    pub(crate) fn forget(&mut self, watch: i32, key: &Key) {
        let Some(keys) = self.keys.get_mut(&watch) else { return };
        keys.retain(|known| known != key);
        if keys.is_empty() {
            self.keys.remove(&watch);
            self.queue.remove(watch);
        }
    }

    /// What happened since the last time.
    pub(crate) fn drain(&mut self) -> Report {
        let mut folders = BTreeMap::new();
        loop {
            let events = match self.queue.read() {
                Ok(events) if events.is_empty() => return Report::Folders(folders),
                Ok(events) => events,
                Err(error) => {
                    tracing::debug!(%error, "the watches cannot be read");
                    return Report::Lost;
                }
            };
            for event in events {
                if event.what == What::Lost {
                    return Report::Lost;
                }
                let keys = match event.what {
                    What::Unwatched => self.keys.remove(&event.watch),
                    _ => self.keys.get(&event.watch).cloned(),
                };
                for key in keys.into_iter().flatten() {
                    match event.what {
                        What::Names => {
                            // A folder that goes or comes under a known name reports that itself too.
                            note(&mut folders, key, event.name.clone());
                        }
                        What::Content if event.name.as_deref().is_none_or(is_read) => {
                            folders.entry(key).or_insert(News::Names(BTreeSet::new()));
                        }
                        What::Content | What::Lost => {}
                        What::Itself | What::Unwatched => {
                            folders.insert(key, News::Anything);
                        }
                    }
                }
            }
        }
    }
}

/// Adds a name to what is news in a folder; an event without a name may be about any.
fn note(folders: &mut BTreeMap<Key, News>, key: Key, name: Option<String>) {
    let news = folders.entry(key).or_insert(News::Names(BTreeSet::new()));
    match (news, name) {
        (News::Names(names), Some(name)) => drop(names.insert(name)),
        (news, None) => *news = News::Anything,
        (News::Anything, Some(_)) => {}
    }
}

/// Whether the content of a file of this name matters.
fn is_read(name: &str) -> bool {
    matches!(name, SPEC_FILE | PLAN_FILE | STATE_FILE)
        || Shelf::ALL.iter().any(|shelf| shelf.document() == name)
}

/// One thing that happened in a watched folder.
#[derive(Debug)]
struct Event {
    watch: i32,
    what: What,
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// Something came, went or was renamed.
    Names,
    /// A file was written, or its permissions changed.
    Content,
    /// The folder itself moved or went.
    Itself,
    /// The kernel has dropped the watch.
    Unwatched,
    Lost,
}

#[cfg(target_os = "linux")]
mod platform {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{Disk, Event, Root, What};

    /// File systems whose every change passes through this kernel, by their magic numbers.
    const LOCAL: [u64; 8] = [
        0xEF53,      // ext2, ext3, ext4
        0x5846_5342, // xfs
        0x9123_683E, // btrfs
        0x0102_1994, // tmpfs
        0xF2F5_2010, // f2fs
        0x2FC1_2FC1, // zfs
        0x794C_7630, // overlayfs
        0xCA45_1A4E, // bcachefs
    ];

    #[derive(Debug)]
    pub(super) struct Queue(OwnedFd);

    impl Queue {
        pub(super) fn open() -> Option<Self> {
            inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok().map(Self)
        }

        pub(super) fn add(&self, folder: &Path) -> io::Result<i32> {
            // Added to the mask of a folder that is watched already: to replace it, the kernel empties it first, and what
            // happens at that instant is never reported.
            let flags = WatchFlags::MASK_ADD
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            Ok(inotify::add_watch(&self.0, folder, flags)?)
        }

        pub(super) fn remove(&self, watch: i32) {
            // The folder may be gone, and its watch with it.
            let _ = inotify::remove_watch(&self.0, watch);
        }

        /// The events that wait, or none.
        pub(super) fn read(&self) -> io::Result<Vec<Event>> {
            let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
            let mut reader = Reader::new(&self.0, &mut buffer);
            let mut events = Vec::new();
            loop {
                match reader.next() {
                    Ok(event) => {
                        let name = event.file_name().and_then(|name| name.to_str().ok()).map(str::to_owned);
                        events.push(Event { watch: event.wd(), what: what(event.events()), name });
                    }
                    Err(Errno::AGAIN) => return Ok(events),
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
                if reader.is_buffer_empty() {
                    return Ok(events);
                }
            }
        }
    }

    fn what(flags: ReadFlags) -> What {
        if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            What::Lost
        } else if flags.contains(ReadFlags::IGNORED) {
            What::Unwatched
        } else if flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF) {
            What::Itself
        } else if flags
            .intersects(ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO)
        {
            What::Names
        } else {
            What::Content
        }
    }

    pub(super) fn disk_of(root: &Root, path: &str) -> Disk {
        let open = root.open_dir_at(path).or_else(|_| root.open_dir_at("."));
        let kind = open.and_then(|open| Ok(rustix::fs::fstatfs(&open)?.f_type));
        // The field is signed on some machines; the magic numbers have 32 bits.
        let is_local = kind.is_ok_and(|kind| LOCAL.iter().any(|local| *local & 0xFFFF_FFFF == magic(kind)));
        if is_local { Disk::Local } else { Disk::Remote }
    }

    #[allow(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        trivial_numeric_casts,
        reason = "the type of the field differs between machines"
    )]
    fn magic(kind: rustix::fs::FsWord) -> u64 {
        kind as u64 & 0xFFFF_FFFF
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_folder_that_is_watched_again_stays_watched_meanwhile() {
            let dir = tempfile::tempdir().unwrap();
            let queue = Queue::open().unwrap();
            let watch = inotify::add_watch(&queue.0, dir.path(), WatchFlags::OPEN).unwrap();
            assert_eq!(queue.add(dir.path()).unwrap(), watch);
            // Nobody else asks for this event: it comes only if the mask was never emptied.
            drop(fs_err::File::open(dir.path()).unwrap());
            assert_eq!(queue.read().unwrap().len(), 1);
            assert_eq!(queue.add(dir.path()).unwrap(), watch);
            fs_err::create_dir(dir.path().join("name")).unwrap();
            assert!(queue.read().unwrap().iter().any(|event| event.what == What::Names));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::io;
    use std::path::Path;

    use super::{Disk, Event, Root};

    /// There is nothing to watch with; the scan does the work.
    #[derive(Debug)]
    pub(super) struct Queue;

    impl Queue {
        pub(super) fn open() -> Option<Self> {
            None
        }

        pub(super) fn add(&self, _: &Path) -> io::Result<i32> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn remove(&self, _: i32) {}

        pub(super) fn read(&self) -> io::Result<Vec<Event>> {
            Ok(Vec::new())
        }
    }

    pub(super) fn disk_of(_: &Root, _: &str) -> Disk {
        Disk::Remote
    }
}
