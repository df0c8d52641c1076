//! The folder for what belongs to one machine: lock, journal, logs, cache. Foreign layouts get it on first write.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;

use crate::beneath::Root;
use crate::disk;
use crate::layout::{Places, STATE_GITIGNORE};

const GITIGNORE: &str = ".gitignore";

/// Opens the folder, making it and its `.gitignore` when they are missing.
pub(crate) fn ensure(root: &Root, places: &Places) -> io::Result<OwnedFd> {
    let folder = root.make_dirs(&places.state)?;
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
