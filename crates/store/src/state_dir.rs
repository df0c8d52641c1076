//! The folder for what belongs to one machine: lock, journal, logs, cache. Foreign layouts get it on first write.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::AtFlags;

use crate::beneath::Root;
use crate::disk::{self, Onto};
use crate::layout::{Places, STATE_GITIGNORE};
use crate::path::RelPath;

pub(crate) const GITIGNORE: &str = ".gitignore";

/// Opens the folder, making it and its `.gitignore` when they are missing.
pub(crate) fn ensure(root: &Root, places: &Places) -> io::Result<OwnedFd> {
    let folder = root.make_real_dirs(&places.state)?;
    if rustix::fs::statat(&folder, GITIGNORE, AtFlags::SYMLINK_NOFOLLOW).is_err() {
        write_gitignore(folder.as_fd())?;
    }
    Ok(folder)
}

/// Puts the whole file in its place or nothing: half of one would let git keep logs and claims, and nobody would write it again.
fn write_gitignore(folder: BorrowedFd<'_>) -> io::Result<()> {
    let draft = format!("{GITIGNORE}.{}.new", uuid::Uuid::new_v4());
    let file = disk::create_file(folder, &draft)?;
    let written = disk::write(&file, &draft, STATE_GITIGNORE.as_bytes())
        .and_then(|()| disk::rename((folder, &draft), (folder, GITIGNORE), Onto::Nothing));
    if written.is_err() {
        let _ = disk::remove_file(folder, &draft);
    }
    match written {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        written => written,
    }
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
