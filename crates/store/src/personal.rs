//! A file in a person's home that belongs to another program: read as it is, replaced whole, links followed, its mode kept.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::disk::{self, Onto};

/// No configuration is longer.
const MAX_BYTES: u64 = 4 << 20;

/// A file of a person, by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalFile(PathBuf);

impl PersonalFile {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The text; `None` when there is no file.
    pub fn read(&self) -> io::Result<Option<String>> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match rustix::fs::open(&self.0, flags, Mode::empty()) {
            Ok(fd) => std::fs::File::from(fd),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if meta.len() > MAX_BYTES {
            return Err(io::Error::other("it is too large for what it should be"));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    /// Replaces the text, or removes the file, if it still says what was expected of it; the folders that had to be made.
    pub fn replace(&self, expected: Option<&str>, text: Option<&str>) -> io::Result<Vec<PathBuf>> {
        if self.read()?.as_deref() != expected {
            return Err(io::Error::other("somebody else has changed it meanwhile"));
        }
        // A link stays one: what it points to is replaced.
        let real = fs_err::canonicalize(&self.0).unwrap_or_else(|_| self.0.clone());
        let (Some(parent), Some(name)) = (real.parent(), real.file_name().and_then(|name| name.to_str()))
        else {
            return Err(io::Error::other("it has no name"));
        };
        let made: Vec<PathBuf> =
            parent.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let Some(text) = text else {
            disk::remove_file(open(parent)?.as_fd(), name)?;
            return Ok(Vec::new());
        };
        disk::create_root(parent)?;
        let folder = open(parent)?;
        // Two processes may set up the same person's files at once.
        let draft = format!(".{name}.{}.hewto-new", uuid::Uuid::new_v4());
        let file = disk::create_file(folder.as_fd(), &draft)?;
        let mode = rustix::fs::stat(&real).map(|stat| Mode::from_raw_mode(stat.st_mode & 0o777));
        let written = mode
            .map_or(Ok(()), |mode| disk::set_mode(&file, &draft, mode))
            .and_then(|()| disk::write(&file, &draft, text.as_bytes()))
            .and_then(|()| disk::sync_file(&file, &draft))
            .and_then(|()| disk::rename((folder.as_fd(), &draft), (folder.as_fd(), name), Onto::Anything));
        if written.is_err() {
            let _ = disk::remove_file(folder.as_fd(), &draft);
        }
        written.map(|()| made)
    }
}

/// Removes those of these folders that are empty, the deepest first.
pub fn remove_empty_folders(folders: &[PathBuf]) -> io::Result<()> {
    let mut deepest_first = folders.to_vec();
    deepest_first.sort_by(|a, b| b.cmp(a));
    for folder in deepest_first {
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str()))
        else {
            continue;
        };
        match open(parent).and_then(|parent| disk::remove_dir(parent.as_fd(), name)) {
            Ok(()) => {}
            Err(error)
                if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn open(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(folder, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_and_goes_with_its_folders() {
        let dir = tempfile::tempdir().unwrap();
        let file = PersonalFile::new(dir.path().join("a/b/c.json"));
        assert_eq!(file.read().unwrap(), None);
        let made = file.replace(None, Some("{}\n")).unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("{}\n"));
        assert!(file.replace(Some("other"), Some("x")).is_err());
        file.replace(Some("{}\n"), None).unwrap();
        remove_empty_folders(&made).unwrap();
        assert_eq!(fs_err::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_stays_a_link_and_modes_are_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("dotfiles.json");
        fs_err::write(&real, "a").unwrap();
        fs_err::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
        let link = dir.path().join("link.json");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        PersonalFile::new(&link).replace(Some("a"), Some("b")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs_err::read_to_string(&real).unwrap(), "b");
        assert_eq!(fs_err::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
