//! New contents beside their place, moved there whole.
//!
//! A file is never written in place: the old one stays until the new one is complete, and a hard link elsewhere
//! keeps what it had. Whatever goes wrong, the staged file disappears.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid};
use rustix::io::Errno;

static NEXT: AtomicU64 = AtomicU64::new(0);
const ATTEMPTS: usize = 1000;

/// A file under a name of its own, not yet where it belongs.
#[derive(Debug)]
pub(crate) struct Staged<'f> {
    folder: BorrowedFd<'f>,
    name: OsString,
    pub(crate) file: File,
}

impl<'f> Staged<'f> {
    pub(crate) fn new(folder: BorrowedFd<'f>) -> rustix::io::Result<Self> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (name, fd) =
            with_fresh_name(|name| rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o666)))?;
        Ok(Self { folder, name, file: File::from(fd) })
    }

    /// Gives the file the permissions, and where we may the owner, of the one that it replaces.
    pub(crate) fn keep_mode(&self, old: &Stat) -> rustix::io::Result<()> {
        let new = rustix::fs::fstat(&self.file)?;
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
            let owner = (Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
            // Only root can give files away; for everybody else the new file is their own.
            let _ = rustix::fs::fchown(&self.file, owner.0, owner.1);
        }
        // New contents never inherit the right to run as somebody else.
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.st_mode) & Mode::from_raw_mode(0o1777))
    }

    /// Makes the contents durable; everything but the move is then done.
    pub(crate) fn sync(&self) -> rustix::io::Result<()> {
        rustix::fs::fdatasync(&self.file)
    }

    /// Puts the file where it belongs, in place of what is there.
    pub(crate) fn publish_over(self, name: &OsStr) -> rustix::io::Result<()> {
        rustix::fs::renameat(self.folder, &self.name, self.folder, name)
    }

    /// Puts the file where it belongs, unless something is there.
    pub(crate) fn publish_new(self, name: &OsStr) -> rustix::io::Result<()> {
        rename_new(self.folder, &self.name, self.folder, name)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        // Gone already when it was published.
        let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}

/// Makes something under a name that nobody uses.
pub(crate) fn with_fresh_name<T>(
    make: impl Fn(&OsStr) -> rustix::io::Result<T>,
) -> rustix::io::Result<(OsString, T)> {
    for _ in 0..ATTEMPTS {
        let name = OsString::from(format!(
            ".hewto-{}-{}.tmp",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}

/// Renames, unless something has the new name.
pub(crate) fn rename_new(
    from_folder: impl AsFd,
    from: &OsStr,
    to_folder: impl AsFd,
    to: &OsStr,
) -> rustix::io::Result<()> {
    let (from_folder, to_folder) = (from_folder.as_fd(), to_folder.as_fd());
    match rustix::fs::renameat_with(from_folder, from, to_folder, to, RenameFlags::NOREPLACE) {
        // File systems that cannot promise it get the next best thing.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match rustix::fs::statat(to_folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(Errno::EXIST),
                Err(Errno::NOENT) => rustix::fs::renameat(from_folder, from, to_folder, to),
                Err(error) => Err(error),
            }
        }
        other => other,
    }
}
