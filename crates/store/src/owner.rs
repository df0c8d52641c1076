//! A small file of the machine's owner, kept outside every repository: nobody else may read or write it, and it is
//! replaced whole.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::disk::{self, Onto};

/// Nothing that belongs here is longer.
const MAX_BYTES: u64 = 16 << 20;

/// A file in the owner's state folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerFile {
    folder: PathBuf,
    name: &'static str,
}

impl OwnerFile {
    /// The file of this name in a folder that need not be there yet.
    pub fn new(folder: impl Into<PathBuf>, name: &'static str) -> Self {
        Self { folder: folder.into(), name }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }

    /// Whether the file lies beneath this folder, so that a repository there could bring it along.
    pub fn is_beneath(&self, folder: &Path) -> bool {
        let real = |path: &Path| fs_err::canonicalize(path).ok();
        // A state folder that is not there yet is judged by the nearest one that is.
        let own = self.folder.ancestors().find_map(real).unwrap_or_else(|| self.folder.clone());
        own.starts_with(real(folder).as_deref().unwrap_or(folder))
    }

    /// The text; `None` when the file is not there. One that others can change, or that belongs to somebody else, is not
    /// believed.
    pub fn read(&self) -> io::Result<Option<String>> {
        let path = self.path();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file: File = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("it belongs to another user"));
        }
        if meta.permissions().mode() & 0o022 != 0 {
            return Err(io::Error::other("others can write it; run `chmod 600` on it"));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    /// Replaces the text by what `change` makes of it, unless it refuses; nobody else changes it meanwhile, and a crash
    /// leaves one or the other.
    pub fn update<E>(
        &self,
        change: impl FnOnce(Option<String>) -> Result<String, E>,
    ) -> io::Result<Result<(), E>> {
        let (folder, _lock) = self.locked()?;
        match change(self.read()?) {
            Ok(text) => self.replace(&folder, text.as_bytes()).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Removes the file and its lock if its text says nothing any more; nobody else changes it meanwhile.
    pub fn remove_if(&self, is_empty: impl FnOnce(&str) -> bool) -> io::Result<()> {
        if self.read()?.is_none() {
            return Ok(());
        }
        let (folder, _lock) = self.locked()?;
        match self.read()? {
            Some(text) if is_empty(&text) => {
                disk::remove_file(folder.as_fd(), self.name)?;
                disk::remove_file(folder.as_fd(), &self.lock_name())
            }
            None => disk::remove_file(folder.as_fd(), &self.lock_name()),
            Some(_) => Ok(()),
        }
    }

    /// The folders on the way to the file that are not there yet.
    pub fn absent_folders(&self) -> Vec<PathBuf> {
        self.folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
    }

    fn lock_name(&self) -> String {
        format!(".{}.lock", self.name)
    }

    /// The folder, and the lock that everybody takes. One that was removed while this one waited for it locks nothing.
    fn locked(&self) -> io::Result<(OwnedFd, File)> {
        loop {
            let folder = self.open_folder()?;
            let lock = match disk::open_lock(folder.as_fd(), &self.lock_name()) {
                // The folder went with its last file.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock()?;
            let now = fs_err::symlink_metadata(self.folder.join(self.lock_name()));
            let held = lock.metadata()?;
            if now.is_ok_and(|now| (now.dev(), now.ino()) == (held.dev(), held.ino())) {
                return Ok((folder, lock));
            }
        }
    }

    fn open_folder(&self) -> io::Result<OwnedFd> {
        disk::create_private_folder(&self.folder)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(&self.folder, flags, Mode::empty())?)
    }

    fn replace(&self, folder: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
        // The lock is held, so nobody else has a draft.
        let draft = format!(".{}.new", self.name);
        disk::remove_file(folder.as_fd(), &draft)?;
        let file = disk::create_file(folder.as_fd(), &draft)?;
        let written = disk::set_mode(&file, &draft, Mode::from_raw_mode(0o600))
            .and_then(|()| disk::write(&file, &draft, bytes))
            .and_then(|()| disk::sync_file(&file, &draft))
            .and_then(|()| {
                disk::rename((folder.as_fd(), &draft), (folder.as_fd(), self.name), Onto::Anything)
            })
            .and_then(|()| disk::sync_dir(folder.as_fd(), self.name));
        if written.is_err() {
            let _ = disk::remove_file(folder.as_fd(), &draft);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(file: &OwnerFile, text: &str) -> io::Result<()> {
        file.update(|_| Ok::<_, ()>(text.to_owned())).map(drop)
    }

    #[test]
    fn the_file_is_replaced_whole_and_is_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = OwnerFile::new(dir.path().join("state/hewto"), "trust.json");
        assert_eq!(file.read().unwrap(), None);
        put(&file, "one").unwrap();
        file.update(|old| Ok::<_, ()>(format!("{}, two", old.unwrap()))).unwrap().unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("one, two"));
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file.path()), 0o600);
        assert_eq!(mode(&dir.path().join("state/hewto")), 0o700);
        file.remove_if(str::is_empty).unwrap();
        assert!(file.path().exists());
        file.remove_if(|text| text == "one, two").unwrap();
        assert_eq!(fs_err::read_dir(dir.path().join("state/hewto")).unwrap().count(), 0);
        file.remove_if(|_| true).unwrap();
    }

    #[test]
    fn nobody_is_lost_while_the_file_and_its_lock_come_and_go() {
        let dir = tempfile::tempdir().unwrap();
        let file = OwnerFile::new(dir.path().join("state/hewto"), "agents.json");
        let (made, kept): (usize, usize) = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut taken = 0;
                        for _ in 0..50 {
                            let add =
                                |old: Option<String>| Ok::<_, ()>(format!("{}+", old.unwrap_or_default()));
                            file.update(add).unwrap().unwrap();
                            // What is taken away is counted under the lock.
                            file.remove_if(|text| {
                                taken += text.len();
                                true
                            })
                            .unwrap();
                        }
                        taken
                    })
                })
                .collect();
            (4 * 50, writers.into_iter().map(|writer| writer.join().unwrap()).sum())
        });
        assert_eq!(kept, made);
    }

    #[test]
    fn a_file_that_others_can_write_or_that_is_a_link_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let file = OwnerFile::new(dir.path(), "trust.json");
        put(&file, "mine").unwrap();
        fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(file.read().unwrap_err().to_string().contains("others can write it"));
        assert!(put(&file, "more").is_err());
        fs_err::remove_file(file.path()).unwrap();
        fs_err::write(dir.path().join("elsewhere"), "planted").unwrap();
        fs_err::os::unix::fs::symlink("elsewhere", file.path()).unwrap();
        assert!(file.read().is_err());
    }

    #[test]
    fn a_state_folder_inside_a_repository_is_noticed_even_before_it_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().join("repository");
        fs_err::create_dir(&repository).unwrap();
        assert!(OwnerFile::new(repository.join(".state/hewto"), "x").is_beneath(&repository));
        assert!(!OwnerFile::new(dir.path().join("repository-state"), "x").is_beneath(&repository));
        fs_err::os::unix::fs::symlink(&repository, dir.path().join("link")).unwrap();
        assert!(OwnerFile::new(dir.path().join("link/deep/er"), "x").is_beneath(&repository));
    }
}
