//! Looks at one folder of a spec root: which specs and folders are in it, and what changed since last time.
//!
//! A file is read again only when its stamp differs, or when it was so young at the last look that a second change
//! may hide behind the same stamp. Nothing that is wrong with a file keeps its folder from being listed (D-9).

use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use hewto_core::diagnostic::{Diagnostic, Finding};
use hewto_core::id::SpecId;
use hewto_core::rules::workspace as rules;
use hewto_core::spec::SpecHead;
use hewto_core::state::WorkflowState;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;

use crate::beneath::Root;
use crate::layout::{Nesting, PLAN_FILE, SPEC_FILE, STATE_FILE, SpecRoot};
use crate::snapshot::{SpecEntry, Stamps, StateRead};
use crate::stamp::{Moment, Stamp};

/// The files of a spec that are looked at, in the order of [`Folder::files`].
const FILES: [&str; 3] = [SPEC_FILE, PLAN_FILE, STATE_FILE];
const SPEC: usize = 0;
const PLAN: usize = 1;
const STATE: usize = 2;

/// What is remembered of a folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folder {
    /// The stamp of the list of names; `None` when it was too young to be trusted, or was not needed.
    names: Option<Stamp>,
    /// Which folder this is: another one may have taken its name.
    pub(crate) inode: Option<u64>,
    pub(crate) children: Arc<[Child]>,
    files: [Option<Seen>; 3],
    pub(crate) entry: Option<Arc<SpecEntry>>,
    pub(crate) findings: Vec<Finding>,
    /// The folder or a file in it can change without a trace in the folder: it is looked at every time.
    pub(crate) restless: bool,
}

/// A folder inside a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) name: String,
    /// Reached through a link: it may be a spec, but nothing is looked for inside.
    pub(crate) linked: bool,
}

/// A file as it was at the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    stamp: Stamp,
    /// The hash of its content, if it was too young for its stamp to be trusted.
    young: Option<u64>,
}

/// What a look at a folder found.
#[derive(Debug)]
pub(crate) enum Look {
    /// Nothing changed.
    Same,
    /// The same content; only what is remembered about its age is new.
    Settled(Box<Folder>),
    Changed(Box<Folder>),
    Gone,
}

/// Everything a look needs to know about its surroundings.
#[derive(Debug)]
pub(crate) struct Looker<'a> {
    pub(crate) root: &'a Root,
    pub(crate) spec_root: &'a SpecRoot,
    pub(crate) root_index: usize,
    /// The spec root, open.
    pub(crate) fd: BorrowedFd<'a>,
    pub(crate) moment: Moment,
}

/// What a look at a file found.
enum FileLook {
    Absent,
    Same(Seen),
    Changed(Seen, io::Result<Vec<u8>>),
}

impl Looker<'_> {
    /// Looks at the folder `below` the spec root; the empty path is the root itself.
    pub(crate) fn look(&self, below: &str, linked: bool, known: Option<&Folder>) -> Look {
        let mut folder = Folder { restless: linked, ..Folder::default() };
        let mut changed = known.is_none();
        if !linked && (below.is_empty() || self.spec_root.nesting() == Nesting::Deep) {
            match self.look_at_names(below, known, &mut folder) {
                Ok(different) => changed |= different,
                Err(error) if is_gone(&error) => return Look::Gone,
                Err(error) => {
                    folder.findings.push(self.unreadable_folder(below, &error));
                    changed |= known.is_none_or(|known| known.findings != folder.findings);
                }
            }
        }
        if !below.is_empty() {
            changed |= self.look_at_files(below, known, &mut folder);
        }
        match known {
            Some(known) if !changed && known.same_as(&folder) => Look::Same,
            Some(_) if !changed => Look::Settled(Box::new(folder)),
            _ => Look::Changed(Box::new(folder)),
        }
    }

    /// Looks at the files of one spec; `None` when there is no `spec.md`.
    pub(crate) fn entry(&self, below: &str, known: Option<&Arc<SpecEntry>>) -> Option<Arc<SpecEntry>> {
        let trusted = known.filter(|entry| !entry.is_young(self.moment));
        let known = trusted.map(Folder::of_entry);
        let mut folder = Folder::default();
        self.look_at_files(below, known.as_ref(), &mut folder);
        folder.entry
    }

    /// Finds out which folders are inside. Says whether that is news.
    fn look_at_names(&self, below: &str, known: Option<&Folder>, folder: &mut Folder) -> io::Result<bool> {
        let path = if below.is_empty() { "." } else { below };
        let stat = rustix::fs::statat(self.fd, path, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(io::ErrorKind::NotFound.into());
        }
        let stamp = Stamp::of(&stat);
        folder.inode = Some(stamp.inode);
        folder.names = if stamp.is_young(self.moment) { None } else { Some(stamp) };
        if let Some(known) = known.filter(|known| known.names == Some(stamp)) {
            folder.children = Arc::clone(&known.children);
            folder.findings.clone_from(&known.findings);
            return Ok(false);
        }
        let (children, findings) = self.list(below)?;
        if let Some(known) = known.filter(|known| *known.children == *children && known.findings == findings)
        {
            folder.children = Arc::clone(&known.children);
            folder.findings = findings;
            return Ok(false);
        }
        folder.children = children.into();
        folder.findings = findings;
        Ok(true)
    }

    fn list(&self, below: &str) -> io::Result<(Vec<Child>, Vec<Finding>)> {
        let full = self.full(below);
        let open = self.root.open_dir_at(&full)?;
        let (mut children, mut findings) = (Vec::new(), Vec::new());
        for item in rustix::fs::Dir::read_from(&open)? {
            let item = item?;
            let kind = match item.file_type() {
                FileType::Unknown => {
                    match rustix::fs::statat(&open, item.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                        Err(_) => continue,
                    }
                }
                kind => kind,
            };
            if !matches!(kind, FileType::Directory | FileType::Symlink) {
                continue;
            }
            let Ok(name) = item.file_name().to_str() else {
                let shown = item.file_name().to_string_lossy().into_owned();
                findings.push(unusable_name(&format!("{full}/{shown}"), "its name is not UTF-8"));
                continue;
            };
            if matches!(name, "." | "..") || !self.spec_root.admits_name(name) {
                continue;
            }
            let path = join(below, name);
            if self.spec_root.skips(&path) {
                continue;
            }
            let linked = kind == FileType::Symlink;
            if linked && self.root.open_dir_at(&self.full(&path)).is_err() {
                // A link to a file, to nothing, or out of the workspace.
                continue;
            }
            if let Err(error) = SpecId::parse(&path) {
                findings.push(unusable_name(&self.full(&path), &error.to_string()));
                continue;
            }
            children.push(Child { name: name.to_owned(), linked });
        }
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        findings.sort();
        Ok((children, findings))
    }

    /// Looks at `spec.md`, `plan.md` and `state.toon`. Says whether any of them is news.
    fn look_at_files(&self, below: &str, known: Option<&Folder>, folder: &mut Folder) -> bool {
        // In a folder whose list of names is the same, a file that was not there is still not there.
        let names_are_same = folder.names.is_some() && known.is_some_and(|known| known.names == folder.names);
        let mut path = String::with_capacity(below.len() + 1 + STATE_FILE.len());
        let mut changed = false;
        let looks = std::array::from_fn(|index| {
            let before = known.and_then(|known| known.files[index]);
            if names_are_same && before.is_none() {
                return FileLook::Absent;
            }
            path.clear();
            path.push_str(below);
            path.push('/');
            path.push_str(FILES[index]);
            let look = self.look_at_file(&path, index, before, &mut folder.restless);
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
        let before = known.and_then(|known| known.entry.as_ref());
        folder.entry =
            if changed { self.make_entry(below, folder, looks, before) } else { before.map(Arc::clone) };
        changed
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
        let (bytes, stat) = match self.root.read(&self.full(path)) {
            Ok((bytes, stat)) => (Ok(bytes), stat),
            Err(error) if is_gone(&error) => return FileLook::Absent,
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
        let read_now = |name: &str| self.root.read(&self.full(&join(below, name))).map(|(bytes, _)| bytes);
        let (head, diagnostics) = match (spec, before) {
            (FileLook::Absent, _) => return None,
            (FileLook::Same(_), Some(before)) => (Arc::clone(&before.head), before.diagnostics.clone()),
            (FileLook::Same(_), None) => read_head(&id, read_now(SPEC_FILE)),
            (FileLook::Changed(_, bytes), _) => read_head(&id, bytes),
        };
        let state = match (state, before) {
            (FileLook::Absent, _) => StateRead::Absent,
            (FileLook::Same(_), Some(before)) => before.state.clone(),
            (FileLook::Same(_), None) => read_state(read_now(STATE_FILE)),
            (FileLook::Changed(_, bytes), _) => read_state(bytes),
        };
        let folder = self.spec_root.path.join(below).ok()?;
        let read_at_ns = self.moment.now_ns;
        let entry =
            SpecEntry { id, root: self.root_index, folder, stamps, head, state, diagnostics, read_at_ns };
        Some(Arc::new(entry))
    }

    fn full(&self, below: &str) -> String {
        join(self.spec_root.path.as_str(), below)
    }

    fn unreadable_folder(&self, below: &str, error: &io::Error) -> Finding {
        let hint = "give this user the right to read the folder";
        rules::UNREADABLE.on(self.full(below), None, format!("cannot read the folder: {error}"), hint)
    }
}

impl Folder {
    /// What is remembered of a folder of which only the summary is at hand.
    fn of_entry(entry: &Arc<SpecEntry>) -> Self {
        let seen = |stamp| Seen { stamp, young: None };
        let Stamps { spec, plan, state } = entry.stamps;
        let files = [Some(seen(spec)), plan.map(seen), state.map(seen)];
        Self { files, entry: Some(Arc::clone(entry)), ..Self::default() }
    }

    fn same_as(&self, other: &Self) -> bool {
        (self.names, self.inode) == (other.names, other.inode)
            && self.files == other.files
            && self.restless == other.restless
    }
}

impl SpecEntry {
    /// Whether a change may hide behind the stamps of this summary.
    fn is_young(&self, moment: Moment) -> bool {
        let then = Moment { now_ns: self.read_at_ns, ..moment };
        let Stamps { spec, plan, state } = self.stamps;
        [Some(spec), plan, state].into_iter().flatten().any(|stamp| stamp.is_young(then))
    }
}

impl Seen {
    /// A file that cannot even be looked at.
    const HIDDEN: Self = Self { stamp: Stamp { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0 }, young: None };
}

fn read_head(id: &SpecId, bytes: io::Result<Vec<u8>>) -> (Arc<SpecHead>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    if !id.is_plain() {
        let hint = "rename the folder when nothing refers to it by its old name";
        let message = format!("`{id}` is not made of lower-case letters, digits, `.`, `_` and `-`");
        diagnostics.push(rules::ID_STYLE.at(1, 0..0, message, hint));
    }
    let head = match bytes.map(String::from_utf8) {
        Ok(Ok(text)) => SpecHead::read(&text),
        Ok(Err(error)) => {
            diagnostics.push(not_utf8(&error));
            SpecHead::read(&String::from_utf8_lossy(error.as_bytes()))
        }
        Err(error) => {
            diagnostics.push(unreadable(&error));
            SpecHead::default()
        }
    };
    (Arc::new(head), diagnostics)
}

fn read_state(bytes: io::Result<Vec<u8>>) -> StateRead {
    match bytes.map(String::from_utf8) {
        Ok(Ok(text)) => match WorkflowState::read(&text) {
            Ok(state) => StateRead::Valid(Arc::new(state)),
            Err(diagnostic) => StateRead::Broken(diagnostic),
        },
        Ok(Err(error)) => StateRead::Broken(not_utf8(&error)),
        Err(error) => StateRead::Broken(unreadable(&error)),
    }
}

fn not_utf8(error: &std::string::FromUtf8Error) -> Diagnostic {
    let offset = error.utf8_error().valid_up_to();
    let line = 1 + error.as_bytes()[..offset].split(|byte| *byte == b'\n').skip(1).count();
    rules::UNREADABLE.at(
        line,
        offset..offset,
        format!("not UTF-8 from byte {offset} on"),
        "save the file as UTF-8",
    )
}

fn unreadable(error: &io::Error) -> Diagnostic {
    rules::UNREADABLE.at(
        1,
        0..0,
        format!("cannot be read: {error}"),
        "make it a regular file that this user can read",
    )
}

fn unusable_name(path: &str, why: &str) -> Finding {
    rules::ID_STYLE.on(path, None, format!("this folder is left out: {why}"), "rename the folder")
}

/// Joins two relative paths, of which the second may be empty.
fn join(first: &str, second: &str) -> String {
    match (first, second) {
        ("", path) | (path, "") => path.to_owned(),
        (first, second) => format!("{first}/{second}"),
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn is_gone(error: &io::Error) -> bool {
    crate::beneath::is_missing(error)
}
