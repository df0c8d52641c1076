//! Opens files and folders below the workspace root, and nowhere else (D-15).
//!
//! The kernel resolves the path with `RESOLVE_BENEATH`, so no symlink that is swapped in at the wrong moment leads
//! out. Where the kernel lacks that, the real path is compared before it is opened.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::disk;
use crate::error::LeadsOut;
use crate::path::RelPath;

/// How often a path is tried again that changed while the kernel walked it.
const RACE_RETRIES: usize = 16;

/// An open workspace root.
#[derive(Debug)]
pub(crate) struct Root {
    fd: OwnedFd,
    path: PathBuf,
}

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Opens a folder below the root; `None` is the root itself.
    pub(crate) fn open_dir(&self, path: Option<&RelPath>) -> io::Result<OwnedFd> {
        self.open_dir_at(path.map_or(".", RelPath::as_str))
    }

    pub(crate) fn open_dir_at(&self, path: &str) -> io::Result<OwnedFd> {
        self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens a regular file for reading. Pipes and devices are refused without touching them.
    pub(crate) fn open_file(&self, path: &str) -> io::Result<(File, Stat)> {
        let file = File::from(self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK)?);
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            Ok((file, stat))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
    }

    /// Reads a whole regular file.
    pub(crate) fn read(&self, path: &str) -> io::Result<(Vec<u8>, Stat)> {
        let (file, stat) = self.open_file(path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or(0) + 1);
        // The length is known; a file by itself would ask for it and for its position again.
        file.take(u64::MAX).read_to_end(&mut bytes)?;
        Ok((bytes, stat))
    }

    /// The kind and the permissions of what stands there, a link itself included.
    pub(crate) fn look(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        let parent = match self.open_dir(path.parent().as_ref()) {
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

    /// Whether names can be made or changed beside this path: the nearest folder on the way that is there really is
    /// a folder, and takes writes.
    pub(crate) fn admits_writes(&self, path: &RelPath) -> io::Result<()> {
        let mut folder = path.parent();
        loop {
            match self.open_dir(folder.as_ref()) {
                Ok(open) => {
                    let needed = Access::WRITE_OK | Access::EXEC_OK;
                    return Ok(rustix::fs::accessat(&open, ".", needed, AtFlags::empty())?);
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

    /// Opens a folder, making what is missing of it, and makes the new names durable.
    pub(crate) fn make_dirs(&self, path: &RelPath) -> io::Result<OwnedFd> {
        match self.open_dir(Some(path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => return result,
        }
        let parent = match path.parent() {
            Some(parent) => self.make_dirs(&parent)?,
            None => self.open_dir(None)?,
        };
        if disk::create_dir(parent.as_fd(), path.file_name())? {
            disk::sync_dir(parent.as_fd(), path.parent().as_ref().map_or(".", RelPath::as_str))?;
        }
        self.open_dir(Some(path))
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

/// Whether nothing stands at a path, because it or a folder on the way is not there.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::error::leads_out;

    fn setting() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let base = fs_err::canonicalize(dir.path()).unwrap();
        fs_err::create_dir_all(base.join("root/a")).unwrap();
        fs_err::create_dir_all(base.join("secret")).unwrap();
        fs_err::write(base.join("root/a/in.md"), "in").unwrap();
        fs_err::write(base.join("secret/out.md"), "out").unwrap();
        symlink("../../secret", base.join("root/a/up")).unwrap();
        symlink(base.join("secret/out.md"), base.join("root/a/abs.md")).unwrap();
        symlink("../a/in.md", base.join("root/a/link.md")).unwrap();
        let root = Root::open(&base.join("root")).unwrap();
        (dir, root)
    }

    #[test]
    fn links_are_followed_inside_and_refused_outside() {
        let (_dir, root) = setting();
        assert_eq!(root.read("a/link.md").unwrap().0, b"in");
        for path in ["a/up/out.md", "a/abs.md", "../secret/out.md"] {
            assert!(leads_out(&root.open_file(path).unwrap_err()), "{path}");
        }
    }

    #[test]
    fn the_look_before_the_open_refuses_the_same_paths() {
        let (_dir, root) = setting();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        assert!(root.open_after_a_look("a/link.md", flags).is_ok());
        for path in ["a/up/out.md", "a/abs.md", "../secret/out.md"] {
            assert!(leads_out(&root.open_after_a_look(path, flags).unwrap_err()), "{path}");
        }
    }

    #[test]
    fn a_link_stands_for_its_target_only_inside() {
        let (_dir, root) = setting();
        let resolve = |text: &str| root.resolve_link(&RelPath::parse(text).unwrap());
        assert_eq!(resolve("a/link.md").unwrap().as_str(), "a/in.md");
        assert_eq!(resolve("a/in.md").unwrap().as_str(), "a/in.md");
        assert_eq!(resolve("a/new.md").unwrap().as_str(), "a/new.md");
        assert!(leads_out(&resolve("a/abs.md").unwrap_err()));
    }

    #[test]
    fn folders_are_made_below_the_root_only() {
        let (dir, root) = setting();
        root.make_dirs(&RelPath::parse("x/y/z").unwrap()).unwrap();
        assert!(dir.path().join("root/x/y/z").is_dir());
        assert!(leads_out(&root.make_dirs(&RelPath::parse("a/up/new").unwrap()).unwrap_err()));
        assert!(!dir.path().join("secret/new").exists());
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_it() {
        let (dir, root) = setting();
        let pipe = dir.path().join("root/pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(root.open_file("pipe").is_err());
    }
}
