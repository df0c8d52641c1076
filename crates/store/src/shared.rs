//! What all work trees of a repository share: `hewto/` in the common git folder; without git `.hewto/`.
//!
//! Runs of proof lie there, so that whoever asks about the same tree finds them. Files are written whole; a crash leaves
//! the old one or the new one. Locks are `flock`s: whoever dies lets go.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use rustix::fs::{Dir, FileType, FlockOperation};

use crate::beneath::{Root, is_missing};
use crate::disk::{self, Onto};
use crate::doc::{MAX_OWN_BYTES, too_large_to_be_own};
use crate::error::FileError;
use crate::layout::{Layout, Places, common_git_folder};
use crate::path::RelPath;
use crate::state_dir;

/// The folder that all work trees of a repository share.
#[derive(Debug, Clone)]
pub struct SharedFolder {
    root: PathBuf,
    folder: RelPath,
    /// The machine's own part, where there is no git folder to hold this.
    places: Option<Places>,
}

/// A lock that is held; dropping it lets go.
#[derive(Debug)]
pub struct SharedLock(#[expect(dead_code, reason = "the lock ends with its file")] File);

impl Layout {
    /// The folder that all work trees of this workspace's repository share.
    pub fn shared_folder(&self) -> SharedFolder {
        match common_git_folder(self.root()) {
            Some(root) => SharedFolder { root, folder: RelPath::known("hewto"), places: None },
            None => SharedFolder {
                root: self.state_root().to_owned(),
                folder: self.places().state.clone(),
                places: Some(self.places().clone()),
            },
        }
    }
}

impl SharedFolder {
    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.root.join(self.folder.as_str())
    }

    /// The bytes of a file; `None` when it is not there.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let path = self.inside(name)?;
        let read = Root::open(&self.root).and_then(|root| root.read_within(path.as_str(), MAX_OWN_BYTES));
        match read {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(FileError::at("read", &path)(too_large_to_be_own()))
            }
            Err(error) => Err(FileError::at("read", &path)(error)),
        }
    }

    /// Puts a whole file in its place, durably.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let path = self.inside(name)?;
        self.try_write(&path, bytes).map_err(FileError::at("write", &path))
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, name: &str) -> Result<(), FileError> {
        let path = self.inside(name)?;
        let removed = Root::open(&self.root).and_then(|root| match root.open_dir(path.parent().as_ref()) {
            Ok(folder) => disk::remove_file(folder.as_fd(), path.file_name()),
            Err(error) if is_missing(&error) => Ok(()),
            Err(error) => Err(error),
        });
        removed.map_err(FileError::at("remove", &path))
    }

    /// The names of the files in a folder, sorted; none where it is missing.
    pub fn names(&self, folder: &str) -> Result<Vec<String>, FileError> {
        let path = self.inside(folder)?;
        self.try_names(&path).map_err(FileError::at("list", &path))
    }

    /// Takes a lock, unless somebody else holds it.
    pub fn try_lock(&self, name: &str) -> Result<Option<SharedLock>, FileError> {
        let path = self.inside(name)?;
        let locked = self.folder_of(&path).and_then(|folder| {
            let file = disk::open_lock(folder.as_fd(), path.file_name())?;
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => Ok(Some(SharedLock(file))),
                Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
                Err(error) => Err(error.into()),
            }
        });
        locked.map_err(FileError::at("lock", &path))
    }

    fn inside(&self, name: &str) -> Result<RelPath, FileError> {
        let outside = |_| FileError::at("open", &self.folder)(io::ErrorKind::InvalidInput.into());
        RelPath::parse(&format!("{}/{name}", self.folder)).map_err(outside)
    }

    /// The folder that a file stands in, made where it is missing.
    fn folder_of(&self, path: &RelPath) -> io::Result<std::os::fd::OwnedFd> {
        let root = Root::open(&self.root)?;
        match (&self.places, path.parent()) {
            (Some(places), _) => state_dir::ensure_parent(&root, places, path),
            (None, Some(parent)) => root.make_dirs(&parent),
            (None, None) => root.open_dir(None),
        }
    }

    fn try_write(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder_of(path)?;
        // Other threads write it too: a draft is nobody else's.
        let draft = format!(".{}.{}.new", path.file_name(), uuid::Uuid::new_v4());
        let file = disk::create_file(folder.as_fd(), &draft)?;
        let written = disk::write(&file, &draft, bytes)
            .and_then(|()| disk::sync_file(&file, &draft))
            .and_then(|()| {
                disk::rename((folder.as_fd(), &draft), (folder.as_fd(), path.file_name()), Onto::Anything)
            })
            .and_then(|()| disk::sync_dir(folder.as_fd(), path.file_name()));
        if written.is_err() {
            let _ = disk::remove_file(folder.as_fd(), &draft);
        }
        written
    }

    fn try_names(&self, path: &RelPath) -> io::Result<Vec<String>> {
        let folder = match Root::open(&self.root).and_then(|root| root.open_dir(Some(path))) {
            Ok(folder) => folder,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let is_file = matches!(entry.file_type(), FileType::RegularFile | FileType::Unknown);
            // Drafts begin with a dot; so do `.` and `..`.
            if let Ok(name) = entry.file_name().to_str()
                && is_file
                && !name.starts_with('.')
            {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_write_one_file_at_once_leave_one_of_their_texts_whole() {
        let (_dir, shared) = folders(false);
        std::thread::scope(|scope| {
            for letter in *b"abcdefgh" {
                let shared = &shared;
                scope.spawn(move || {
                    for length in 1..40 {
                        shared.write("cursor", &vec![letter; length * 100]).unwrap();
                    }
                });
            }
        });
        let text = shared.read("cursor").unwrap().unwrap();
        assert!(text.len() == 3_900 && text.iter().all(|byte| *byte == text[0]), "{}", text.len());
        assert_eq!(
            shared.names("").unwrap_or_default().iter().filter(|name| name.ends_with(".new")).count(),
            0
        );
    }

    fn folders(is_repository: bool) -> (tempfile::TempDir, SharedFolder) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        if is_repository {
            fs_err::create_dir_all(root.join(".git/objects")).unwrap();
            fs_err::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        let shared = Layout::load(&root).shared_folder();
        (dir, shared)
    }

    #[test]
    fn files_lie_in_the_git_folder_or_beside_the_lock() {
        for (is_repository, place) in
            [(true, ".git/hewto/proof/runs/a.json"), (false, ".hewto/proof/runs/a.json")]
        {
            let (dir, shared) = folders(is_repository);
            assert_eq!(shared.read("proof/runs/a.json").unwrap(), None);
            assert!(shared.names("proof/runs").unwrap().is_empty());
            shared.write("proof/runs/a.json", b"one").unwrap();
            shared.write("proof/runs/a.json", b"two").unwrap();
            assert_eq!(shared.read("proof/runs/a.json").unwrap().unwrap(), b"two");
            assert_eq!(fs_err::read(dir.path().join(place)).unwrap(), b"two");
            assert_eq!(shared.names("proof/runs").unwrap(), ["a.json"]);
            shared.remove("proof/runs/a.json").unwrap();
            shared.remove("proof/runs/a.json").unwrap();
            assert!(shared.names("proof/runs").unwrap().is_empty());
            assert!(shared.write("../escape", b"x").is_err());
        }
    }

    /// A sparse file takes no room on the disk, and all of its length in memory.
    #[test]
    fn a_file_that_is_larger_than_any_of_ours_is_refused_and_not_read() {
        let (dir, shared) = folders(false);
        shared.write("claims.json", b"{}").unwrap();
        let file = File::options().write(true).open(dir.path().join(".hewto/claims.json")).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = shared.read("claims.json").unwrap_err();
        assert!(error.source.to_string().contains("larger than 64 MiB"), "{}", error.source);
    }

    #[test]
    fn one_holds_a_lock_at_a_time() {
        let (_dir, shared) = folders(true);
        let held = shared.try_lock("proof/locks/a").unwrap();
        assert!(held.is_some());
        assert!(shared.try_lock("proof/locks/a").unwrap().is_none());
        assert!(shared.try_lock("proof/locks/b").unwrap().is_some());
        drop(held);
        assert!(shared.try_lock("proof/locks/a").unwrap().is_some());
    }
}
