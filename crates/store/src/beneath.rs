//! Opens files and folders below the workspace root, and nowhere else (D-15).
//!
//! The kernel resolves the path with `RESOLVE_BENEATH`, so no symlink that is swapped in at the wrong moment leads
//! out. Where the kernel lacks that, the real path is compared before it is opened. Whatever is opened to be written in
//! is looked at once more as an open folder: git's own folders are refused by what they are, whichever link led there.
//! hewto's own folders are opened without following any link at all.

mod reading;

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

pub(crate) use self::reading::{hash_in, read_in, read_in_within};
use self::reading::{open_in, read_all, regular};
use crate::doc::{MAX_OWN_BYTES, too_large_to_be_own};
use crate::error::{LeadsOut, Linked};
use crate::overlay::{Overlay, Spot};
use crate::path::RelPath;
use crate::stamp::Disk;
use crate::watch::disk_of;
use crate::{disk, git};

/// How often a path is tried again that changed while the kernel walked it.
const RACE_RETRIES: usize = 16;

/// An open workspace root. Clones share the open folder.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    fd: Arc<OwnedFd>,
    path: PathBuf,
    /// Whether the root itself may be no git folder, if it is written to.
    judges_itself: bool,
    /// What an interrupted commit will have changed once it is finished; reading sees that already.
    overlay: Option<Arc<Overlay>>,
}

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { fd: Arc::new(fd), path: path.to_owned(), judges_itself: false, overlay: None })
    }

    /// Opens the root of a work tree: nothing is written to it when it is a git folder.
    pub(crate) fn open_tree(path: &Path) -> io::Result<Self> {
        Ok(Self { judges_itself: true, ..Self::open(path)? })
    }

    /// The same root as it will be once an interrupted commit is finished. For reading only.
    pub(crate) fn seen_through(&self, overlay: Arc<Overlay>) -> Self {
        Self { overlay: Some(overlay), ..self.clone() }
    }

    pub(crate) fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_deref()
    }

    /// Where a path is to be looked for.
    fn spot<'p>(&'p self, path: &'p str) -> Spot<'p> {
        match &self.overlay {
            Some(overlay) => overlay.spot(path),
            None => Spot::At(path.into()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Whether the folder that was opened is still the one to read: neither removed nor replaced by another at its path. One that
    /// was renamed is the same. Only local disks number their folders so that two can be told apart.
    pub(crate) fn is_in_place(&self) -> bool {
        let (Ok(ours), there) = (rustix::fs::fstat(self.fd()), rustix::fs::stat(&self.path)) else {
            return false;
        };
        match there {
            Err(Errno::NOENT | Errno::NOTDIR) => ours.st_nlink > 0,
            // Whoever reads is told what is wrong.
            Err(_) => true,
            Ok(there) if (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino) => ours.st_nlink > 0,
            Ok(_) => disk_of(self, ".") != Disk::Local,
        }
    }

    /// Opens a folder below the root; `None` is the root itself.
    pub(crate) fn open_dir(&self, path: Option<&RelPath>) -> io::Result<OwnedFd> {
        self.open_dir_at(path.map_or(".", RelPath::as_str))
    }

    pub(crate) fn open_dir_at(&self, path: &str) -> io::Result<OwnedFd> {
        match self.spot(path) {
            Spot::At(path) => self.open_beneath(&path, OFlags::RDONLY | OFlags::DIRECTORY),
            Spot::Nothing | Spot::Text(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Opens a folder to write in it; `None` is the root itself. Git's own folders are refused.
    pub(crate) fn open_dir_to_write(&self, path: Option<&RelPath>) -> io::Result<OwnedFd> {
        let folder = self.open_dir(path)?;
        self.refuse_git(&folder)?;
        Ok(folder)
    }

    /// Opens one of hewto's own folders: no link is followed on the way.
    pub(crate) fn open_real_dir(&self, path: Option<&RelPath>) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mut folder = rustix::fs::openat(self.fd(), ".", flags, Mode::empty())?;
        for name in path.iter().flat_map(|path| path.as_str().split('/')) {
            folder = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
                Ok(inner) => inner,
                Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) if is_link(&folder, name) => {
                    return Err(Linked.into());
                }
                Err(error) => return Err(error.into()),
            };
        }
        Ok(folder)
    }

    /// Whether no link leads to a folder or stands in it; true when it is not there.
    pub(crate) fn has_no_links(&self, path: &RelPath) -> bool {
        let folder = match self.open_real_dir(Some(path)) {
            Ok(folder) => folder,
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        };
        let Ok(mut entries) = rustix::fs::Dir::read_from(&folder) else { return false };
        entries.all(|entry| entry.is_ok_and(|entry| entry.file_type() != FileType::Symlink))
    }

    /// Opens one of hewto's own folders, making what is missing of it.
    pub(crate) fn make_real_dirs(&self, path: &RelPath) -> io::Result<OwnedFd> {
        self.make(path, Self::open_real_dir)
    }

    /// Reads one of hewto's own files whole, if it is not larger than hewto writes any; no link is followed.
    pub(crate) fn read_real(&self, path: &RelPath) -> io::Result<(Vec<u8>, Stat)> {
        let folder = self.open_real_dir(path.parent().as_ref())?;
        match open_in(folder.as_fd(), path.file_name())? {
            (_, stat) if stat.st_size > MAX_OWN_BYTES => Err(too_large_to_be_own()),
            (file, stat) => read_all(file, stat, MAX_OWN_BYTES),
        }
    }

    fn refuse_git(&self, folder: &OwnedFd) -> io::Result<()> {
        git::refuse(folder.as_fd(), self.fd(), self.judges_itself)
    }

    /// Opens a regular file for reading. Pipes and devices are refused without touching them.
    pub(crate) fn open_file(&self, path: &str) -> io::Result<(File, Stat)> {
        regular(File::from(self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK)?))
    }

    /// Reads a whole regular file.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Stat)> {
        self.read_within(path, i64::MAX)
    }

    /// Reads a whole regular file, unless it has more bytes than this.
    pub(crate) fn read_within(&self, path: &str, most: i64) -> io::Result<(Vec<u8>, Stat)> {
        match self.spot(path) {
            Spot::At(path) => self.open_file(&path).and_then(|(file, stat)| read_all(file, stat, most)),
            Spot::Text(text) => Ok((text.bytes.clone(), text.stat)),
            Spot::Nothing => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The kind and the permissions of what stands there, a link itself included.
    pub(crate) fn look(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        match self.spot(path) {
            Spot::At(real) if real == path.as_str() => match self.look_there(path)? {
                None if self.overlay().is_some_and(|overlay| overlay.makes_folder(path)) => {
                    Ok(Some(rustix::fs::fstat(self.fd())?))
                }
                found => Ok(found),
            },
            Spot::At(real) => RelPath::parse(&real).map_or(Ok(None), |real| self.look_there(&real)),
            Spot::Text(text) => Ok(Some(text.stat)),
            Spot::Nothing => Ok(None),
        }
    }

    fn look_there(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        let parent = match self.open_beneath_or_root(path.parent().as_ref()) {
            Ok(parent) => parent,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        match rustix::fs::statat(&parent, path.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn open_beneath_or_root(&self, path: Option<&RelPath>) -> io::Result<OwnedFd> {
        self.open_beneath(path.map_or(".", RelPath::as_str), OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Whether names can be made or changed beside this path: the nearest folder on the way that is there really is
    /// a folder, and takes writes.
    pub(crate) fn admits_writes(&self, path: &RelPath) -> io::Result<()> {
        let mut folder = path.parent();
        loop {
            match self.open_dir(folder.as_ref()) {
                Ok(open) => {
                    self.refuse_git(&open)?;
                    return admits_names(open.as_fd());
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_some() => {
                    folder = folder.and_then(|missing| missing.parent());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether a file can be written: its folder takes names or, if the file is there, it takes writes.
    pub(crate) fn admits_file(&self, path: &RelPath) -> io::Result<()> {
        self.admits_writes(path)?;
        let Some(stat) = self.look(path)? else { return Ok(()) };
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let folder = self.open_dir(path.parent().as_ref())?;
        Ok(rustix::fs::accessat(&folder, path.file_name(), Access::WRITE_OK, AtFlags::empty())?)
    }

    /// Opens a folder, making what is missing of it.
    pub(crate) fn make_dirs(&self, path: &RelPath) -> io::Result<OwnedFd> {
        self.make(path, Self::open_dir)
    }

    /// The same for folders that `open` opens; the new names are made durable, and nothing is made in git's own folders.
    fn make(
        &self,
        path: &RelPath,
        open: fn(&Self, Option<&RelPath>) -> io::Result<OwnedFd>,
    ) -> io::Result<OwnedFd> {
        let allowed = |folder: OwnedFd| self.refuse_git(&folder).map(|()| folder);
        match open(self, Some(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found.and_then(allowed),
        }
        let parent = match path.parent() {
            Some(parent) => self.make(&parent, open)?,
            None => open(self, None).and_then(allowed)?,
        };
        if disk::create_dir(parent.as_fd(), path.file_name())? {
            disk::sync_dir(parent.as_fd(), path.parent().as_ref().map_or(".", RelPath::as_str))?;
        }
        open(self, Some(path)).and_then(allowed)
    }

    /// The path a link stands for, if it stays in the workspace; the path itself if it is no link.
    pub(crate) fn resolve_link(&self, path: &RelPath) -> io::Result<RelPath> {
        let is_link =
            self.look(path)?.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if !is_link {
            return Ok(path.clone());
        }
        let real = std::fs::canonicalize(path.under(&self.path))?;
        let inside = real.strip_prefix(&self.path).ok().and_then(Path::to_str);
        inside.and_then(|text| RelPath::parse(text).ok()).ok_or_else(|| LeadsOut.into())
    }

    fn open_beneath(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        match open_resolved_beneath(self.fd.as_fd(), path, flags) {
            Ok(fd) => Ok(fd),
            Err(Errno::XDEV) => Err(LeadsOut.into()),
            Err(Errno::NOSYS | Errno::PERM) => self.open_after_a_look(path, flags),
            Err(error) => Err(error.into()),
        }
    }

    fn open_after_a_look(&self, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let real = std::fs::canonicalize(self.path.join(path))?;
        if !real.starts_with(&self.path) {
            return Err(LeadsOut.into());
        }
        Ok(rustix::fs::open(&real, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }
}

#[cfg(target_os = "linux")]
fn open_resolved_beneath(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut result = rustix::fs::openat2(root, path, flags, Mode::empty(), resolve);
    for _ in 0..RACE_RETRIES {
        match result {
            Err(Errno::AGAIN | Errno::INTR) => {
                result = rustix::fs::openat2(root, path, flags, Mode::empty(), resolve);
            }
            done => return done,
        }
    }
    result
}

#[cfg(not(target_os = "linux"))]
fn open_resolved_beneath(_: BorrowedFd<'_>, _: &str, _: OFlags) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Whether names can be made and taken away in an open folder.
pub(crate) fn admits_names(folder: BorrowedFd<'_>) -> io::Result<()> {
    let needed = Access::WRITE_OK | Access::EXEC_OK;
    Ok(rustix::fs::accessat(folder, ".", needed, AtFlags::empty())?)
}

fn is_link(folder: &OwnedFd, name: &str) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Whether nothing stands at a path, because it or a folder on the way is not there.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests;
