//! Looks at the documents of one spec. A file is read again only when its stamp differs, or when it was so young at
//! the last look that a second change may hide behind the same stamp.

use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::sync::{Arc, OnceLock};

use hewto_core::id::SpecId;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;

use super::names::Listed;
use super::summary::{read_head, read_state};
use super::{Folder, Looker, join};
use crate::beneath::is_missing;
use crate::doc::MAX_BYTES;
use crate::layout::STATE_FILE;
use crate::snapshot::{SpecEntry, Stamps, StateRead};
use crate::stamp::Stamp;

// The files of a spec, in the order of `Folder::files`.
const SPEC: usize = 0;
const PLAN: usize = 1;
const STATE: usize = 2;

/// A file as it was at the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    stamp: Stamp,
    /// The hash of its content, if it was too young for its stamp to be trusted.
    young: Option<u64>,
}

/// What a look at a file found.
enum FileLook {
    Absent,
    Same(Seen),
    Changed(Seen, io::Result<Vec<u8>>),
}

impl Looker<'_> {
    /// Looks at `spec.md`, `plan.md` and `state.toon`, of which the names in the folder may tell. Says whether any of them is
    /// news.
    pub(super) fn look_at_files(
        &self,
        below: &str,
        known: Option<&Folder>,
        listed: Option<[Listed; 3]>,
        folder: &mut Folder,
    ) -> bool {
        // In a folder whose list of names is the same, a file that was not there is still not there.
        let names_are_same = folder.names.is_some() && known.is_some_and(|known| known.names == folder.names);
        let mut path = String::with_capacity(below.len() + 1 + STATE_FILE.len());
        let mut changed = false;
        let looks = std::array::from_fn(|index| {
            let before = known.and_then(|known| known.files[index]);
            let listed = listed.map(|listed| listed[index]);
            if before.is_none() && (names_are_same || listed == Some(Listed::Nothing)) {
                return FileLook::Absent;
            }
            path.clear();
            path.push_str(below);
            path.push('/');
            path.push_str(self.documents()[index]);
            let is_new_file = before.is_none() && listed == Some(Listed::File) && index != PLAN;
            let look = is_new_file.then(|| self.read_new_file(&path, &mut folder.restless)).flatten();
            let look = look.unwrap_or_else(|| self.look_at_file(&path, index, before, &mut folder.restless));
            folder.files[index] = match look {
                FileLook::Absent => None,
                FileLook::Same(seen) | FileLook::Changed(seen, _) => Some(seen),
            };
            changed |= match look {
                FileLook::Absent => before.is_some(),
                FileLook::Same(_) => false,
                FileLook::Changed(..) => true,
            };
            look
        });
        let is_vouched_for = |index: usize| {
            folder.files[index].is_some() || listed.is_some_and(|listed| listed[index] == Listed::Nothing)
        };
        if folder.names.is_some()
            && (changed || !names_are_same)
            && !(0..folder.files.len()).all(is_vouched_for)
            && !self.are_absent(below, &folder.files)
        {
            folder.names = None;
        }
        let before = known.and_then(|known| known.entry.as_ref());
        folder.entry =
            if changed { self.make_entry(below, folder, looks, before) } else { before.map(Arc::clone) };
        changed
    }

    /// Whether the files that were not found are not in the folder, rather than the folder away for a moment: moving what
    /// it is in leaves no trace in its list of names, which would then vouch for their absence for good.
    fn are_absent(&self, below: &str, files: &[Option<Seen>; 3]) -> bool {
        let names = self.documents();
        let mut missed =
            names.iter().zip(files).filter(|(_, seen)| seen.is_none()).map(|(name, _)| *name).peekable();
        if missed.peek().is_none() {
            return true;
        }
        let Ok(open) = self.root.open_dir_at(&self.full(below)) else { return false };
        missed.all(|name| {
            rustix::fs::statat(&open, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_err_and(|error| error == Errno::NOENT)
        })
    }

    /// Reads a file of which nothing is known but that it was there a moment ago, and a file.
    fn read_new_file(&self, path: &str, restless: &mut bool) -> Option<FileLook> {
        let (bytes, stat) = self.read_whole(path).ok()?;
        *restless |= stat.st_nlink > 1;
        let stamp = Stamp::of(&stat);
        let young = stamp.is_young(self.moment).then(|| hash(&bytes));
        Some(FileLook::Changed(Seen { stamp, young }, Ok(bytes)))
    }

    fn look_at_file(&self, path: &str, index: usize, before: Option<Seen>, restless: &mut bool) -> FileLook {
        let stat = match rustix::fs::statat(self.fd, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT | Errno::NOTDIR) => return FileLook::Absent,
            Err(_) if before == Some(Seen::HIDDEN) => return FileLook::Same(Seen::HIDDEN),
            Err(error) => return FileLook::Changed(Seen::HIDDEN, Err(error.into())),
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        *restless |= kind != FileType::RegularFile || stat.st_nlink > 1;
        let stamp = Stamp::of(&stat);
        if kind == FileType::RegularFile {
            match before {
                Some(seen) if seen.stamp == stamp && seen.young.is_none() => return FileLook::Same(seen),
                // Nobody needs the text of a plan here.
                _ if index == PLAN && !stamp.is_young(self.moment) => {
                    return FileLook::Changed(Seen { stamp, young: None }, Ok(Vec::new()));
                }
                _ => {}
            }
        }
        self.read_file(path, stat, before)
    }

    fn read_file(&self, path: &str, stat: Stat, before: Option<Seen>) -> FileLook {
        let (bytes, stat) = match self.read_whole(path) {
            Ok((bytes, stat)) => (Ok(bytes), stat),
            Err(error) if is_missing(&error) => return FileLook::Absent,
            Err(error) => (Err(error), stat),
        };
        let stamp = Stamp::of(&stat);
        let young = stamp.is_young(self.moment);
        let before = before.filter(|before| before.stamp == stamp);
        let hash = bytes.as_ref().ok().filter(|_| young || before.is_some()).map(|bytes| hash(bytes));
        let seen = Seen { stamp, young: hash.filter(|_| young) };
        match before {
            Some(before) if before.young.is_none() || before.young == hash => FileLook::Same(seen),
            _ => FileLook::Changed(seen, bytes),
        }
    }

    /// The bytes of a file, unless it is too large to be a document.
    fn read_whole(&self, path: &str) -> io::Result<(Vec<u8>, Stat)> {
        self.root.read_within(&self.full(path), MAX_BYTES)
    }

    fn make_entry(
        &self,
        below: &str,
        folder: &Folder,
        looks: [FileLook; 3],
        before: Option<&Arc<SpecEntry>>,
    ) -> Option<Arc<SpecEntry>> {
        let stamp = |index: usize| folder.files[index].map(|seen| seen.stamp);
        let stamps = Stamps { spec: stamp(SPEC)?, plan: stamp(PLAN), state: stamp(STATE) };
        let id = SpecId::parse(below).ok()?;
        let [spec, _, state] = looks;
        // A file can be the same while there was no entry to remember its content.
        let read_now = |name: &str| self.read_whole(&join(below, name)).map(|(bytes, _)| bytes);
        let (head, diagnostics) = match (spec, before) {
            (FileLook::Absent, _) => return None,
            (FileLook::Same(_), Some(before)) => (Arc::clone(&before.head), before.diagnostics.clone()),
            (FileLook::Same(_), None) => read_head(&id, read_now(self.spec_root.document)),
            (FileLook::Changed(_, bytes), _) => read_head(&id, bytes),
        };
        let state = match (state, before) {
            (FileLook::Absent, _) => StateRead::Absent,
            (FileLook::Same(_), Some(before)) => before.state.clone(),
            (FileLook::Same(_), None) => read_state(read_now(STATE_FILE)),
            (FileLook::Changed(_, bytes), _) => read_state(bytes),
        };
        let folder = self.spec_root.path.join(below).ok()?.into();
        let read_at_ns = self.moment.now_ns;
        Some(Arc::new(SpecEntry {
            id,
            root: self.root_index,
            folder,
            stamps,
            head,
            state,
            diagnostics,
            plan_progress: OnceLock::new(),
            read_at_ns,
        }))
    }
}

impl Seen {
    /// A file that cannot even be looked at.
    const HIDDEN: Self = Self { stamp: Stamp { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 }, young: None };

    pub(super) fn settled(stamp: Stamp) -> Self {
        Self { stamp, young: None }
    }

    /// Notes that the file was the one that is known when it had this stamp, which is not young.
    pub(super) fn settle(&mut self, stamp: Stamp) {
        if self.stamp == stamp {
            self.young = None;
        }
    }

    /// The stamp, if the same one means the same file from now on.
    pub(super) fn settled_stamp(self) -> Option<Stamp> {
        (self.young.is_none() && self != Self::HIDDEN).then_some(self.stamp)
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
