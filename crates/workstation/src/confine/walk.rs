//! Resolves a path one part at a time, by descriptor, and tells the real place it ends at.
//!
//! Each step opens the next folder with `O_NOFOLLOW`; links are read and walked here, so a link that leads out of
//! the roots is refused whenever it appears. Writers use this walk because only it knows the real path; readers use
//! it where the kernel cannot resolve beneath a folder by itself.

use std::ffi::{OsStr, OsString};
use std::iter;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::argument::Wanted;
use super::protect::{is_folder_of_git, refusal};
use super::roots::Roots;
use crate::error::{Error, Key, Result};

/// How many links one path may go through; the kernel's own limit.
const MAX_LINKS: usize = 40;
/// Deeper paths are neither made nor taken away: each level holds a descriptor.
pub(crate) const MAX_DEPTH: usize = 200;
/// How often a path is tried again that changed while it was walked.
pub(crate) const RACE_RETRIES: usize = 16;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const PASS_THROUGH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const PASS_THROUGH: OFlags = OFlags::RDONLY;

/// What happens to a link at the end of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    Follow,
    /// The spot is the link itself.
    Keep,
}

/// What happens to folders on the way that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Report,
    Make,
}

/// What is going to happen where the path ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    Look,
    /// Something is made, changed, moved or deleted: nothing on the way may belong to git.
    Change,
}

/// A real path beneath a root: no links, no dots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WalkPlace {
    pub(crate) root: usize,
    pub(crate) parts: Vec<OsString>,
}

/// Where a path ends: a name in an open folder, and what stands there now.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) folder: OwnedFd,
    /// `None` for a root itself.
    pub(crate) name: Option<OsString>,
    pub(crate) place: WalkPlace,
    /// `None` when nothing is there.
    pub(crate) stat: Option<Stat>,
    pub(crate) shown: String,
}

impl Spot {
    pub(crate) fn kind(&self) -> Option<FileType> {
        self.stat.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode))
    }

    /// The same spot with what stands there now.
    pub(crate) fn seen_again(mut self) -> Result<Self> {
        self.stat = match rustix::fs::statat(&self.folder, self.name()?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(Error::io("look at", &self.shown, error)),
        };
        Ok(self)
    }

    /// The name in its folder; a root has none and cannot be changed.
    pub(crate) fn name(&self) -> Result<&OsStr> {
        self.name.as_deref().ok_or_else(|| {
            Error::refused(Key::ProtectedPath, format!("a root itself cannot be changed: `{}`", self.shown))
        })
    }
}

impl WalkPlace {
    pub(crate) fn below(&self, name: impl Into<OsString>) -> Self {
        let mut parts = self.parts.clone();
        parts.push(name.into());
        Self { root: self.root, parts }
    }

    pub(crate) fn path(&self, roots: &Roots) -> PathBuf {
        roots.real(self.root).join(self.parts.iter().collect::<PathBuf>())
    }
}

impl Roots {
    /// Finds where a path ends.
    pub(crate) fn locate(&self, wanted: &Wanted, last: Last, missing: Missing) -> Result<Spot> {
        Walk::new(self, wanted, Aim::Look).run(last, missing)
    }

    /// The same for what is going to be changed. Protected names are refused wherever they stand in the path and in the
    /// links on the way, and so is a folder of git's own under another name.
    pub(crate) fn locate_to_change(&self, wanted: &Wanted, last: Last, missing: Missing) -> Result<Spot> {
        Walk::new(self, wanted, Aim::Change).run(last, missing)
    }
}

/// The refusal of folders that lie too deep in each other.
pub(crate) fn too_deep(shown: &str) -> Error {
    Error::refused(Key::TooDeep, format!("more than {MAX_DEPTH} nested folders: `{shown}`"))
        .hint("use fewer folders")
}

struct Walk<'r> {
    roots: &'r Roots,
    shown: &'r str,
    root: usize,
    /// The folders walked so far below the root, each open.
    stack: Vec<(OsString, OwnedFd)>,
    /// The parts still to walk, the next one last.
    pending: Vec<OsString>,
    links: usize,
    /// Whether folders of this path are being made.
    making: bool,
    aim: Aim,
}

impl<'r> Walk<'r> {
    fn new(roots: &'r Roots, wanted: &'r Wanted, aim: Aim) -> Self {
        let pending = wanted.parts.iter().rev().cloned().collect();
        Self {
            roots,
            shown: &wanted.shown,
            root: wanted.root,
            stack: vec![],
            pending,
            links: 0,
            making: false,
            aim,
        }
    }

    fn run(mut self, last: Last, missing: Missing) -> Result<Spot> {
        let mut races = 0;
        while let Some(part) = self.pending.pop() {
            if part == ".." {
                self.climb()?;
                continue;
            }
            if self.aim == Aim::Change {
                self.roots.protected().refuse_name(&part, self.shown)?;
            }
            let at_the_end = self.pending.is_empty();
            match rustix::fs::statat(self.here(), &part, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Symlink if !at_the_end || last == Last::Follow => self.follow(&part)?,
                    _ if at_the_end => return self.spot(part, Some(stat)),
                    FileType::Directory => match self.enter(&part) {
                        Ok(()) => {}
                        Err(Errno::LOOP | Errno::NOTDIR | Errno::NOENT) if races < RACE_RETRIES => {
                            races += 1;
                            self.pending.push(part);
                        }
                        Err(error) => return Err(self.failed(error)),
                    },
                    _ => return Err(self.failed(Errno::NOTDIR)),
                },
                Err(Errno::NOENT) if at_the_end => return self.spot(part, None),
                Err(Errno::NOENT) if missing == Missing::Make => self.make(part)?,
                Err(error) => return Err(self.failed(error)),
            }
        }
        self.spot_of_folder()
    }

    fn here(&self) -> BorrowedFd<'_> {
        self.stack.last().map_or_else(|| self.roots.fd(self.root), |(_, fd)| fd.as_fd())
    }

    fn enter(&mut self, part: &OsStr) -> rustix::io::Result<()> {
        let flags = PASS_THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(self.here(), part, flags, Mode::empty())?;
        self.stack.push((part.to_owned(), fd));
        Ok(())
    }

    fn make(&mut self, part: OsString) -> Result<()> {
        if self.pending.iter().any(|part| part == "..") {
            return Err(self.failed(Errno::NOENT));
        }
        // Looked at before anything is made, and once: what is below a new folder is new.
        if !self.making {
            self.making = true;
            if self.stack.len() + 1 + self.pending.len() > MAX_DEPTH {
                return Err(too_deep(self.shown));
            }
            for name in &self.pending {
                self.roots.protected().refuse_name(name, self.shown)?;
            }
            self.refuse_folders_of_git()?;
        }
        match rustix::fs::mkdirat(self.here(), &part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {
                self.pending.push(part);
                Ok(())
            }
            Err(error) => Err(Error::io("make the folder", self.shown, error)),
        }
    }

    fn follow(&mut self, part: &OsStr) -> Result<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(self.failed(Errno::LOOP));
        }
        let target = match rustix::fs::readlinkat(self.here(), part, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            // It was a link a moment ago; look again.
            Err(Errno::INVAL) => {
                self.pending.push(part.to_owned());
                return Ok(());
            }
            Err(error) => return Err(self.failed(error)),
        };
        if target.is_absolute() {
            return self.jump(&target);
        }
        let parts = target.components().filter(|part| *part != Component::CurDir);
        self.pending.extend(parts.rev().map(|part| part.as_os_str().to_owned()));
        Ok(())
    }

    /// Goes on from the root that an absolute path lies beneath.
    fn jump(&mut self, target: &Path) -> Result<()> {
        let (root, parts) = self.roots.map_absolute(target).ok_or_else(|| self.roots.outside(self.shown))?;
        self.root = root;
        self.stack.clear();
        self.pending.extend(parts.into_iter().rev());
        Ok(())
    }

    /// One folder up. Above a root there is only another root.
    fn climb(&mut self) -> Result<()> {
        if self.stack.pop().is_some() {
            return Ok(());
        }
        let mut target = self.roots.real(self.root).to_owned();
        if !target.pop() {
            return Ok(());
        }
        target.extend(self.pending.drain(..).rev());
        self.jump(&target)
    }

    /// A folder of git's own need not be called `.git`: a `.git` file or link may lead to it.
    fn refuse_folders_of_git(&self) -> Result<()> {
        let root = (OsStr::new("."), self.roots.fd(self.root));
        let walked = self.stack.iter().map(|(name, fd)| (name.as_os_str(), fd.as_fd()));
        match iter::once(root).chain(walked).find(|(_, folder)| is_folder_of_git(*folder, Path::new(""))) {
            Some((name, _)) => Err(refusal(name, self.shown)),
            None => Ok(()),
        }
    }

    fn spot(mut self, name: OsString, stat: Option<Stat>) -> Result<Spot> {
        if self.aim == Aim::Change {
            self.refuse_folders_of_git()?;
            if is_folder_of_git(self.here(), Path::new(&name)) {
                return Err(refusal(&name, self.shown));
            }
        }
        let mut parts: Vec<OsString> = self.stack.iter().map(|(name, _)| name.clone()).collect();
        parts.push(name.clone());
        let folder = match self.stack.pop() {
            Some((_, fd)) => fd,
            None => self.root_fd()?,
        };
        let place = WalkPlace { root: self.root, parts };
        Ok(Spot { folder, name: Some(name), place, stat, shown: self.shown.to_owned() })
    }

    /// The path ended in a folder that is already open: by `..`, or because it is a root.
    fn spot_of_folder(mut self) -> Result<Spot> {
        let stat = rustix::fs::fstat(self.here()).map_err(|error| self.failed(error))?;
        match self.stack.pop() {
            Some((name, _)) => self.spot(name, Some(stat)),
            None => Ok(Spot {
                folder: self.root_fd()?,
                name: None,
                place: WalkPlace { root: self.root, parts: vec![] },
                stat: Some(stat),
                shown: self.shown.to_owned(),
            }),
        }
    }

    fn root_fd(&self) -> Result<OwnedFd> {
        self.roots.fd(self.root).try_clone_to_owned().map_err(|error| Error::io("open", self.shown, error))
    }

    fn failed(&self, error: Errno) -> Error {
        Error::io("open", self.shown, error)
    }
}
