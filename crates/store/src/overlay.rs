//! The tree as it will be once an interrupted commit is finished, for those who only read.
//!
//! A reader that meets a record of this machine writes nothing: it asks, step by step, what finishing would find and do,
//! and reads through the answer. Made anew for every read, because files can be edited meanwhile.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use rustix::fs::{FileType, Stat};

use crate::beneath::{self, Root};
use crate::hash::ContentHash;
use crate::journal::{Put, Record, Step};
use crate::manifest;
use crate::path::RelPath;
use crate::place::{Present, Site, present, slot_of};

/// What the rest of a commit will change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlay {
    /// By their paths before anything is moved.
    files: BTreeMap<String, Effect>,
    gone: Vec<String>,
    moved: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
enum Effect {
    Text(Arc<Text>),
    Gone,
}

/// The content of a file that is not in its place yet.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stat: Stat,
}

/// Where a path is to be looked for.
#[derive(Debug)]
pub(crate) enum Spot<'a> {
    At(Cow<'a, str>),
    Text(&'a Text),
    Nothing,
}

impl Overlay {
    /// What finishing a record would do now. `slots` is the transaction's open folder.
    pub(crate) fn of(root: &Root, slots: BorrowedFd<'_>, record: &Record) -> io::Result<Self> {
        let site = Site { root, slots };
        let mut rest = record.steps.len();
        // Where nothing is left to do, nothing is taken back either.
        let is_to_do = site.is_any_to_do(&record.steps)?;
        for commit in record.commits().filter(|_| is_to_do) {
            let from = record.begin_of_rest(commit.start).filter(|_| !commit.is_empty());
            let Some(from) = from else { continue };
            for step in &record.steps[commit] {
                if site.would_leave(step)? {
                    rest = rest.min(from);
                }
            }
            if rest < record.steps.len() {
                break;
            }
        }
        let (done, taken_back) = record.steps.split_at(rest);
        Self::default().and(root, slots, done)?.without(root, slots, taken_back)
    }

    /// The same with steps that will be taken back, as far as they have been done.
    fn without(mut self, root: &Root, slots: BorrowedFd<'_>, steps: &[Step]) -> io::Result<Self> {
        for step in steps {
            let (path, before) = match step {
                Step::Put(Put { path, old, new, blob }) if present(root, path)?.is(*new) => {
                    let before = match beneath::read_in(slots, blob) {
                        Ok((bytes, stat)) if Some(ContentHash::of(&bytes)) == *old => {
                            Some(Text { bytes, stat })
                        }
                        Ok(_) => None,
                        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                        Err(error) => return Err(error),
                    };
                    // Where the old text waits elsewhere, the new one is seen until it is taken back.
                    if before.is_none() && old.is_some() {
                        continue;
                    }
                    (path, before)
                }
                Step::Delete { path, old } if matches!(present(root, path)?, Present::Nothing) => {
                    match beneath::read_in(slots, slot_of(path)) {
                        Ok((bytes, stat)) if ContentHash::of(&bytes) == *old => {
                            (path, Some(Text { bytes, stat }))
                        }
                        Ok(_) => continue,
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        Err(error) => return Err(error),
                    }
                }
                _ => continue,
            };
            let effect = before.map_or(Effect::Gone, |text| Effect::Text(Arc::new(text)));
            self.files.insert(path.to_string(), effect);
        }
        Ok(self)
    }

    /// The same with more steps, none of which speaks of a path that is in it already.
    pub(crate) fn and(mut self, root: &Root, slots: BorrowedFd<'_>, steps: &[Step]) -> io::Result<Self> {
        for step in steps {
            match step {
                Step::Put(Put { path, old, new, blob }) => {
                    if let Some(text) = waiting_text(root, slots, path, *old, *new, blob)? {
                        self.files.insert(path.to_string(), Effect::Text(Arc::new(text)));
                    }
                }
                Step::Delete { path, old } => {
                    if matches!(present(root, path)?, Present::File(hash, _) if hash == *old) {
                        self.files.insert(path.to_string(), Effect::Gone);
                    }
                }
                Step::DeleteDir { path, old } => {
                    if manifest::read(root, path)?.is_some_and(|now| now.hash == *old) {
                        self.gone.push(path.to_string());
                    }
                }
                Step::MoveDir { from, to } => {
                    if root.look(from)?.is_some() && root.look(to)?.is_none() {
                        self.moved.push((from.to_string(), to.to_string()));
                    }
                }
            }
        }
        Ok(self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.gone.is_empty() && self.moved.is_empty()
    }

    /// Where a path of the finished tree is to be looked for.
    pub(crate) fn spot<'a>(&'a self, path: &'a str) -> Spot<'a> {
        let Some(before) = self.before(path) else { return Spot::Nothing };
        if self.gone.iter().any(|folder| is_at_or_below(&before, folder)) {
            return Spot::Nothing;
        }
        match self.files.get(&*before) {
            Some(Effect::Text(text)) => return Spot::Text(text),
            Some(Effect::Gone) => return Spot::Nothing,
            None => {}
        }
        Spot::At(before)
    }

    /// The names that finishing brings into a folder of the finished tree, or takes out of it.
    pub(crate) fn correct(&self, folder: &str, entries: &mut Vec<(String, FileType)>) {
        entries.retain(|(name, _)| !matches!(self.spot(&join(folder, name)), Spot::Nothing));
        let texts = self.files.iter().filter(|(_, effect)| matches!(effect, Effect::Text(_)));
        let texts = texts.map(|(path, _)| (self.after(path), FileType::RegularFile));
        let folders = self.moved.iter().map(|(_, to)| (to.clone(), FileType::Directory));
        for (path, kind) in texts.chain(folders) {
            let Some(below) = below(&path, folder) else { continue };
            let (name, kind) = match below.split_once('/') {
                Some((name, _)) => (name, FileType::Directory),
                None => (below, kind),
            };
            if entries.iter().all(|(known, _)| known != name) {
                entries.push((name.to_owned(), kind));
            }
        }
    }

    /// The paths of the finished tree that finishing changes, folders that go or come included.
    pub(crate) fn touched(&self) -> Vec<String> {
        let files = self.files.keys().map(|path| self.after(path));
        let moved = self.moved.iter().flat_map(|(from, to)| [from.clone(), to.clone()]);
        files.chain(self.gone.iter().cloned()).chain(moved).collect()
    }

    /// Whether finishing makes a folder, unless it is there already.
    pub(crate) fn makes_folder(&self, path: &str) -> bool {
        let mut texts = self.files.iter().filter(|(_, effect)| matches!(effect, Effect::Text(_)));
        texts.any(|(file, _)| below(&self.after(file), path).is_some())
            || self.moved.iter().any(|(_, to)| below(to, path).is_some())
    }

    /// The path before anything is moved; `None` when it was moved away.
    fn before<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        let mut path = Cow::Borrowed(path);
        for (from, to) in self.moved.iter().rev() {
            if is_at_or_below(&path, to) {
                path = Cow::Owned(format!("{from}{}", &path[to.len()..]));
            } else if is_at_or_below(&path, from) {
                return None;
            }
        }
        Some(path)
    }

    fn after(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (from, to) in &self.moved {
            if is_at_or_below(&path, from) {
                path = format!("{to}{}", &path[from.len()..]);
            }
        }
        path
    }
}

/// The text that finishing would put at a path, unless it stands there already or somebody else's does.
fn waiting_text(
    root: &Root,
    slots: BorrowedFd<'_>,
    path: &RelPath,
    old: Option<ContentHash>,
    new: ContentHash,
    blob: &str,
) -> io::Result<Option<Text>> {
    let (bytes, stat) = match beneath::read_in(slots, blob) {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if ContentHash::of(&bytes) != new {
        return Ok(None);
    }
    let is_expected = match (present(root, path)?, old) {
        (Present::Nothing, None) => true,
        (Present::File(hash, _), Some(old)) => hash == old,
        _ => false,
    };
    let waits = is_expected && root.admits_reading(path);
    Ok(waits.then_some(Text { bytes, stat }))
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path == folder || below(path, folder).is_some()
}

/// What is left of a path below a folder; the root is called `.`.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder == "." { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

fn join(folder: &str, name: &str) -> String {
    if folder == "." { name.to_owned() } else { format!("{folder}/{name}") }
}

impl Root {
    /// Whether writing to a path would not be refused for where it leads.
    fn admits_reading(&self, path: &RelPath) -> bool {
        !matches!(self.admits_writes(path), Err(error) if error.kind() == io::ErrorKind::InvalidInput)
    }

    /// The same root as it will be once a record is finished; `None` when nothing is left to do.
    pub(crate) fn finished(&self, slots: &std::os::fd::OwnedFd, record: &Record) -> io::Result<Option<Self>> {
        let overlay = Overlay::of(self, slots.as_fd(), record)?;
        Ok((!overlay.is_empty()).then(|| self.seen_through(Arc::new(overlay))))
    }
}
