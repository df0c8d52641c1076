//! Takes a workspace apart: empty folders, and all that belongs to one machine. Documents are not touched here; they
//! are removed by a commit like any other change.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::beneath::{Root, is_missing};
use crate::disk;
use crate::error::FileError;
use crate::layout::{DocFolder, STATE_GITIGNORE};
use crate::path::RelPath;
use crate::state_dir::GITIGNORE;
use crate::store::WriteGuard;

impl WriteGuard {
    /// Removes those of these folders that are empty, the deepest first; says which are gone.
    pub fn remove_empty(&self, folders: &[DocFolder]) -> Result<Vec<DocFolder>, FileError> {
        let mut deepest_first = folders.to_vec();
        deepest_first.sort_by(|a, b| b.cmp(a));
        let mut gone = Vec::new();
        for folder in deepest_first {
            let path = folder.path();
            if remove_if_empty(self.root(), path).map_err(FileError::at("remove", path))? {
                gone.push(folder);
            }
        }
        Ok(gone)
    }

    /// Removes logs, cache, interview and journal, then the lock itself, and their folder if nothing else is in it.
    pub fn dismantle(self) -> Result<(), FileError> {
        let home = self.state_root();
        let places = self.layout().places();
        let logs = places.state.join("logs").expect("a plain name can be joined");
        for path in [&logs, &places.cache, places.clarify.path(), &places.journal, &places.lock] {
            remove_tree(home, path).map_err(FileError::at("remove", path))?;
        }
        // The vectors that all work trees share lie with the state of a repository in its git folder.
        if self.layout().state_root() != self.layout().root() {
            let vectors = places.state.join("search").expect("a plain name can be joined");
            remove_tree(home, &vectors).map_err(FileError::at("remove", &vectors))?;
        }
        let gitignore = places.state.join(GITIGNORE).expect("a plain name can be joined");
        if home.read_real(&gitignore).is_ok_and(|(bytes, _)| bytes == STATE_GITIGNORE.as_bytes()) {
            remove_tree(home, &gitignore).map_err(FileError::at("remove", &gitignore))?;
        }
        remove_if_empty(home, &places.state).map_err(FileError::at("remove", &places.state))?;
        Ok(())
    }
}

fn remove_if_empty(root: &Root, folder: &RelPath) -> io::Result<bool> {
    let parent = match root.open_dir_to_write(folder.parent().as_ref()) {
        Ok(parent) => parent,
        Err(error) if is_missing(&error) => return Ok(false),
        Err(error) => return Err(error),
    };
    if kind_of(&parent, folder.file_name())? != Some(FileType::Directory) {
        return Ok(false);
    }
    match disk::remove_dir(parent.as_fd(), folder.file_name()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a file, or a folder with all that is in it. Links are removed, never followed.
fn remove_tree(root: &Root, path: &RelPath) -> io::Result<()> {
    match root.open_real_dir(path.parent().as_ref()) {
        Ok(parent) => remove_entry(&parent, path.file_name()),
        Err(error) if is_missing(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

fn remove_entry(parent: &OwnedFd, name: &str) -> io::Result<()> {
    match kind_of(parent, name)? {
        None => Ok(()),
        Some(FileType::Directory) => {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let folder = rustix::fs::openat(parent, name, flags, Mode::empty())?;
            let mut names = Vec::new();
            for entry in Dir::read_from(&folder)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name != "." && name != ".." {
                    names.push(name);
                }
            }
            for name in names {
                remove_entry(&folder, &name)?;
            }
            disk::remove_dir(parent.as_fd(), name)
        }
        Some(_) => disk::remove_file(parent.as_fd(), name),
    }
}

fn kind_of(parent: &OwnedFd, name: &str) -> io::Result<Option<FileType>> {
    match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(rustix::io::Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
