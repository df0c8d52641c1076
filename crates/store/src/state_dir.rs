//! The folder for what belongs to one machine: lock, journal, logs, cache. Foreign layouts get it on first write.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;

use crate::beneath::Root;
use crate::disk;
use crate::layout::{Places, STATE_GITIGNORE};
use crate::path::RelPath;

pub(crate) const GITIGNORE: &str = ".gitignore";

/// Opens the folder, making it and its `.gitignore` when they are missing.
pub(crate) fn ensure(root: &Root, places: &Places) -> io::Result<OwnedFd> {
    let folder = root.make_real_dirs(&places.state)?;
    if rustix::fs::statat(&folder, GITIGNORE, AtFlags::SYMLINK_NOFOLLOW).is_err() {
        match disk::create_file(folder.as_fd(), GITIGNORE) {
            Ok(file) => disk::write(&file, GITIGNORE, STATE_GITIGNORE.as_bytes())?,
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(folder)
}

/// Opens the folder that a file of the machine's part stands in, making what is missing.
pub(crate) fn ensure_parent(root: &Root, places: &Places, path: &RelPath) -> io::Result<OwnedFd> {
    let state = ensure(root, places)?;
    match path.parent() {
        Some(parent) if parent == places.state => Ok(state),
        Some(parent) => root.make_real_dirs(&parent),
        None => root.open_real_dir(None),
    }
}
