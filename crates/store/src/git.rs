//! Git's own files, known by what they are: a folder is git's when it holds what git needs in it, whatever it is called and
//! whichever way led there. Nothing here runs git or writes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use thiserror::Error;

use crate::error::LeadsOut;
use crate::layout::repository_root;
use crate::regular::{read_git_text, read_regular};

/// How many folders deep a path may be below its root.
const MAX_DEPTH: usize = 4096;
/// An index larger than this is not read; then nothing is believed to be untracked.
const MAX_INDEX: u64 = 512 << 20;

/// What was to be written belongs to git.
#[derive(Debug, Clone, Copy, Error)]
#[error("git's own files are not hewto's to change")]
pub(crate) struct OfGit;

impl From<OfGit> for io::Error {
    fn from(error: OfGit) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

/// Refuses an open folder that is git's own, or lies in one, below this root. The root itself counts too, unless it is
/// the git folder that hewto has a place in.
pub(crate) fn refuse(folder: BorrowedFd<'_>, root: BorrowedFd<'_>, root_counts: bool) -> io::Result<()> {
    let top = identity(root)?;
    let mut current: Option<OwnedFd> = None;
    for _ in 0..MAX_DEPTH {
        let fd = current.as_ref().map_or(folder, AsFd::as_fd);
        let here = identity(fd)?;
        if (here != top || root_counts) && is_git_folder(fd) {
            return Err(OfGit.into());
        }
        if here == top {
            return Ok(());
        }
        let above = rustix::fs::openat(fd, "..", climb(), Mode::empty())?;
        if identity(above.as_fd())? == here {
            break;
        }
        current = Some(above);
    }
    // The folder is not below its root any more.
    Err(LeadsOut.into())
}

#[cfg(target_os = "linux")]
fn climb() -> OFlags {
    OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC
}

#[cfg(not(target_os = "linux"))]
fn climb() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC
}

fn identity(fd: BorrowedFd<'_>) -> io::Result<(u64, u64)> {
    let stat = rustix::fs::fstat(fd)?;
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the types differ between systems"
    )]
    Ok((stat.st_dev as u64, stat.st_ino as u64))
}

/// Whether this is a git folder: a repository's, a submodule's or a linked work tree's.
pub(crate) fn is_git_folder(folder: BorrowedFd<'_>) -> bool {
    let kind = |name: &str, flags| {
        let stat = rustix::fs::statat(folder, name, flags).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    };
    if kind("HEAD", AtFlags::SYMLINK_NOFOLLOW).is_none() {
        return false;
    }
    let is_folder = |name| kind(name, AtFlags::empty()) == Some(FileType::Directory);
    (is_folder("objects") && is_folder("refs")) || kind("commondir", AtFlags::empty()).is_some()
}

/// Whether the text is what git writes into a `.git` that is a file.
pub(crate) fn is_gitfile(bytes: &[u8]) -> bool {
    bytes.starts_with(b"gitdir:")
}

/// Whether git tracks anything below this folder, which is a real path. An index that cannot be understood counts as tracking it.
pub(crate) fn tracks_below(folder: &Path) -> io::Result<bool> {
    let Some(root) = repository_root(folder) else { return Ok(false) };
    let Some(index) = index_of(&root) else { return Ok(false) };
    let Ok(below) = folder.strip_prefix(&root) else { return Ok(true) };
    let mut prefix = below.as_os_str().as_encoded_bytes().to_vec();
    prefix.push(b'/');
    match std::fs::metadata(&index) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(meta) if meta.len() > MAX_INDEX => Ok(true),
        Ok(_) => {
            let bytes = read_regular(&index, MAX_INDEX)?;
            Ok(paths(&bytes).is_none_or(|paths| paths.iter().any(|path| path.starts_with(&prefix))))
        }
    }
}

fn index_of(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git.join("index"));
    }
    let text = read_git_text(&git).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()).join("index"))
}

/// The paths in an index; `None` when it is of a kind that is not known here.
fn paths(index: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| {
        let bytes = index.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    if index.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(4)?;
    let count = number(8)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    // A repository with SHA-256 has longer names of objects.
    entries(index, version, count, 20).or_else(|| entries(index, version, count, 32))
}

fn entries(index: &[u8], version: u32, count: u32, object: usize) -> Option<Vec<Vec<u8>>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        let flags_at = at + 40 + object;
        let flags = u16::from_be_bytes(index.get(flags_at..flags_at + 2)?.try_into().ok()?);
        at = flags_at + 2;
        if version >= 3 && flags & 0x4000 != 0 {
            at += 2;
        }
        let mut path = Vec::new();
        if version == 4 {
            let cut = offset(index, &mut at)?;
            let before = found.last().map_or(&[][..], Vec::as_slice);
            path.extend_from_slice(&before[..before.len().checked_sub(cut)?]);
        }
        let end = at + memchr::memchr(0, index.get(at..)?)?;
        path.extend_from_slice(&index[at..end]);
        let length = usize::from(flags & 0x0fff);
        if length < 0x0fff && length != path.len() {
            return None;
        }
        // Up to version 3 an entry is filled up to a multiple of eight bytes.
        at = if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 };
        found.push(path);
    }
    Some(found)
}

/// The number of bytes that a path of version 4 takes off the one before.
fn offset(index: &[u8], at: &mut usize) -> Option<usize> {
    let mut byte = *index.get(*at)?;
    *at += 1;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *index.get(*at)?;
        *at += 1;
        value = (value.checked_add(1)? << 7) | usize::from(byte & 0x7f);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(folder);
        command.output().is_ok_and(|output| output.status.success())
    }

    fn open(path: &Path) -> OwnedFd {
        rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn a_git_folder_is_known_by_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        assert!(git(&root, &["init", "-q", "--bare", "plain-name"]));
        fs_err::create_dir_all(root.join("docs/objects")).unwrap();
        fs_err::create_dir_all(root.join("linked")).unwrap();
        fs_err::write(root.join("linked/HEAD"), "").unwrap();
        fs_err::write(root.join("linked/commondir"), "").unwrap();
        let judge = |path: &str| refuse(open(&root.join(path)).as_fd(), open(&root).as_fd(), true).is_err();
        for (path, expected) in [
            ("plain-name", true),
            ("plain-name/hooks", true),
            ("linked", true),
            ("docs/objects", false),
            (".", false),
        ] {
            assert_eq!(judge(path), expected, "{path}");
        }
        let git_folder = root.join("plain-name");
        let inside = |counts| refuse(open(&git_folder).as_fd(), open(&git_folder).as_fd(), counts).is_err();
        assert!(inside(true) && !inside(false));
        // A folder that is not below the root at all.
        assert!(refuse(open(&root).as_fd(), open(&git_folder).as_fd(), false).is_err());
    }

    #[test]
    fn what_git_tracks_is_read_from_every_kind_of_index() {
        for version in ["2", "3", "4"] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            assert!(git(&root, &["init", "-q"]));
            for file in [".hewto/config.toml", ".hewto/journal/pending", "app/.hewto/journalist", "z.md"] {
                fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
                fs_err::write(root.join(file), "").unwrap();
            }
            assert!(!tracks_below(&root.join(".hewto/journal")).unwrap(), "nothing is tracked yet");
            assert!(git(&root, &["add", "-A"]));
            assert!(git(&root, &["update-index", "--index-version", version]));
            assert!(tracks_below(&root.join(".hewto/journal")).unwrap(), "version {version}");
            assert!(!tracks_below(&root.join("app/.hewto/journal")).unwrap(), "version {version}");
            assert!(git(&root, &["rm", "-q", "--cached", ".hewto/journal/pending"]));
            assert!(!tracks_below(&root.join(".hewto/journal")).unwrap(), "version {version}");
        }
    }
}
