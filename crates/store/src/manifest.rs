//! What a folder holds, all of it: by this a commit knows whether somebody changed anything in it.
//!
//! Folders are walked by descriptor and names are bytes: what is no text still counts, and no link is followed.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::beneath::{self, Root, is_missing};
use crate::hash::ContentHash;
use crate::path::RelPath;
use crate::{disk, git};

/// How deep folders inside an artifact may be.
const MAX_DEPTH: usize = 32;

/// Everything in a folder, links as links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Paths below the folder, sorted; folders are left out, and names that are no text are shown as well as it goes.
    pub files: Vec<String>,
    pub hash: ContentHash,
    lines: Vec<Line>,
}

/// A path below the folder, and what stands there.
type Line = (Vec<u8>, String);

const FOLDER: &str = "folder";

impl Manifest {
    /// Whether everything in this folder stands in the other one too, and is the same there.
    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        self.lines.iter().all(|line| other.lines.binary_search(line).is_ok())
    }
}

/// Reads a folder whole; `None` when there is none.
pub(crate) fn read(root: &Root, folder: &RelPath) -> io::Result<Option<Manifest>> {
    if root.overlay().is_some() {
        return match root.look(folder)? {
            Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                read_open(&root.open_dir(Some(folder))?)
            }
            _ => Ok(None),
        };
    }
    match root.open_dir(folder.parent().as_ref()) {
        Ok(parent) => read_in(parent.as_fd(), folder.file_name()),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The same for a folder in an open folder.
pub(crate) fn read_in(parent: BorrowedFd<'_>, name: &str) -> io::Result<Option<Manifest>> {
    let fd = match open(parent, name) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    read_open(&fd)
}

fn read_open(fd: &OwnedFd) -> io::Result<Option<Manifest>> {
    let mut lines = Vec::new();
    match collect(fd, &[], MAX_DEPTH, &mut lines) {
        Ok(()) => {}
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    lines.sort();
    let mut text = Vec::new();
    for (path, what) in &lines {
        text.extend_from_slice(path);
        text.push(0);
        text.extend_from_slice(what.as_bytes());
        text.push(b'\n');
    }
    let files = lines.iter().filter(|(_, what)| what != FOLDER);
    let files = files.map(|(path, _)| String::from_utf8_lossy(path).into_owned()).collect();
    Ok(Some(Manifest { files, hash: ContentHash::of(&text), lines }))
}

fn collect(folder: &OwnedFd, below: &[u8], depth: usize, lines: &mut Vec<Line>) -> io::Result<()> {
    for (name, kind) in names(folder)? {
        let mut path = below.to_vec();
        path.extend_from_slice(name.as_bytes());
        let what = match kind {
            FileType::RegularFile => beneath::hash_in(folder.as_fd(), &name)?.to_string(),
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(folder, &name, Vec::new())?;
                format!("link {}", ContentHash::of(target.as_bytes()))
            }
            FileType::Directory if depth == 0 => return Err(refused("its folders are too deep")),
            FileType::Directory => {
                let inner = open(folder.as_fd(), &name)?;
                if name.as_bytes().eq_ignore_ascii_case(b".git") || git::is_git_folder(inner.as_fd()) {
                    return Err(refused("there is a git repository inside"));
                }
                let mut below = path.clone();
                below.push(b'/');
                collect(&inner, &below, depth - 1, lines)?;
                FOLDER.to_owned()
            }
            _ => return Err(refused("there is something inside that is neither file nor folder")),
        };
        lines.push((path, what));
    }
    Ok(())
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why.to_owned())
}

/// Whether a folder can be taken away with everything in it, as far as can be told without doing it.
pub(crate) fn admits_removal(folder: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
    let inside = names(folder)?;
    if !inside.is_empty() {
        beneath::admits_names(folder)?;
    }
    for (name, kind) in inside {
        if kind == FileType::Directory && depth > 0 {
            admits_removal(open(folder, &name)?.as_fd(), depth - 1)?;
        }
    }
    Ok(())
}

/// The same for a folder below a root; one that is not there is fine.
pub(crate) fn admits_removal_of(root: &Root, path: &RelPath) -> io::Result<()> {
    let parent = root.open_dir(path.parent().as_ref())?;
    match open(parent.as_fd(), path.file_name()) {
        Ok(folder) if git::is_git_folder(folder.as_fd()) => Err(git::OfGit.into()),
        Ok(folder) => {
            // To go to another parent, a folder has to take writes itself.
            beneath::admits_names(folder.as_fd())?;
            admits_removal(folder.as_fd(), MAX_DEPTH)
        }
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes a folder and everything in it, without following a link.
pub(crate) fn remove(parent: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> io::Result<()> {
    let folder = match open(parent, name) {
        Ok(folder) => folder,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for (inner, kind) in names(&folder)? {
        if kind == FileType::Directory {
            remove(folder.as_fd(), inner.as_c_str())?;
        } else {
            disk::remove_file(folder.as_fd(), inner.as_c_str())?;
        }
    }
    disk::remove_dir(parent, name)
}

/// Lets the owner write into all folders of a tree, so that it can be removed. For what is the journal's own.
pub(crate) fn unprotect(parent: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> io::Result<()> {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return Ok(());
    }
    let mode = Mode::from_raw_mode(stat.st_mode) | Mode::RWXU;
    if mode != Mode::from_raw_mode(stat.st_mode) {
        rustix::fs::chmodat(parent, name, mode, AtFlags::empty())?;
    }
    let folder = open(parent, name)?;
    for (inner, kind) in names(&folder)? {
        if kind == FileType::Directory {
            unprotect(folder.as_fd(), inner.as_c_str())?;
        }
    }
    Ok(())
}

/// Copies a folder with everything in it into another one, durably. Nothing may stand under the new name.
pub(crate) fn copy(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) -> io::Result<()> {
    disk::create_dir(to.0, to.1)?;
    copy_inside(open(from.0, from.1)?.as_fd(), open(to.0, to.1)?.as_fd(), MAX_DEPTH)
}

fn copy_inside(from: BorrowedFd<'_>, to: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
    for (name, kind) in names(from)? {
        let shown = name.to_string_lossy();
        match kind {
            FileType::RegularFile => {
                let (bytes, stat) = beneath::read_in(from, &name)?;
                let file = disk::create_file(to, &name)?;
                disk::write(&file, &shown, &bytes)?;
                disk::set_mode(&file, &shown, Mode::from_raw_mode(stat.st_mode))?;
                disk::sync_file(&file, &shown)?;
            }
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(from, &name, Vec::new())?;
                disk::create_link(&target, to, &name)?;
            }
            FileType::Directory if depth == 0 => return Err(refused("its folders are too deep")),
            FileType::Directory => {
                disk::create_dir(to, &name)?;
                copy_inside(open(from, &name)?.as_fd(), open(to, &name)?.as_fd(), depth - 1)?;
            }
            _ => return Err(refused("there is something inside that is neither file nor folder")),
        }
    }
    let stat = rustix::fs::fstat(from)?;
    disk::set_mode(to, "folder", Mode::from_raw_mode(stat.st_mode))?;
    disk::sync_dir(to, "copy")
}

fn open(parent: BorrowedFd<'_>, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// What stands in an open folder.
fn names(folder: impl AsFd) -> io::Result<Vec<(CString, FileType)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        found.push((name.to_owned(), kind));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
        (dir, root)
    }

    #[test]
    fn a_manifest_changes_with_everything_inside() {
        let (dir, root) = root();
        let folder = RelPath::known("a");
        assert_eq!(read(&root, &folder).unwrap(), None);
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::write(dir.path().join("a/b/x.md"), "1").unwrap();
        std::os::unix::fs::symlink("b", dir.path().join("a/link")).unwrap();
        let mut seen = vec![read(&root, &folder).unwrap().unwrap()];
        assert_eq!(seen[0].files, ["b/x.md", "link"]);
        fs_err::write(dir.path().join("a/b/x.md"), "2").unwrap();
        seen.push(read(&root, &folder).unwrap().unwrap());
        fs_err::create_dir(dir.path().join("a/empty")).unwrap();
        seen.push(read(&root, &folder).unwrap().unwrap());
        fs_err::write(dir.path().join("a").join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
        seen.push(read(&root, &folder).unwrap().unwrap());
        for (index, one) in seen.iter().enumerate() {
            assert!(seen[index + 1..].iter().all(|other| other.hash != one.hash));
        }
        assert!(seen[1].is_part_of(&seen[2]) && !seen[2].is_part_of(&seen[1]));
        fs_err::create_dir(dir.path().join("a/.git")).unwrap();
        assert!(read(&root, &folder).is_err());
    }

    #[test]
    fn a_folder_is_removed_and_what_its_links_point_to_stays() {
        let (dir, root) = root();
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::create_dir_all(dir.path().join("kept")).unwrap();
        fs_err::write(dir.path().join("kept/x"), "x").unwrap();
        fs_err::write(dir.path().join("a/b").join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
        std::os::unix::fs::symlink("../kept", dir.path().join("a/link")).unwrap();
        remove(root.fd(), "a").unwrap();
        remove(root.fd(), "a").unwrap();
        assert!(!dir.path().join("a").exists());
        assert!(dir.path().join("kept/x").exists());
    }

    #[test]
    fn a_copy_holds_the_same() {
        let (dir, root) = root();
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::write(dir.path().join("a/b").join(OsStr::from_bytes(b"caf\xe9")), "x").unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("a/link")).unwrap();
        copy((root.fd(), "a"), (root.fd(), "c")).unwrap();
        let [one, other] = ["a", "c"].map(|name| read(&root, &RelPath::known(name)).unwrap().unwrap());
        assert_eq!(one, other);
    }
}
