//! Moves a folder. Where it cannot be renamed (a lower layer of an overlay, another mount) it is copied, and then removed
//! where it stood; a mark in the transaction's folder tells an interrupted copy from two folders that always were there.

use std::io;
use std::os::fd::AsFd as _;

use super::{Name, Outcome, Site, stands};
use crate::disk::{self, Onto};
use crate::hash::ContentHash;
use crate::manifest;
use crate::path::RelPath;

impl Site<'_> {
    pub(super) fn move_dir(self, from: &RelPath, to: &RelPath) -> io::Result<Outcome> {
        let source = self.folder_if_there(from)?;
        let target = match &source {
            Some(_) => Some(self.folder_of(to)?),
            None => self.folder_if_there(to)?,
        };
        let at = |folder: &Option<_>, name| {
            folder.as_ref().map_or(Ok(false), |fd: &std::os::fd::OwnedFd| stands((fd.as_fd(), name)))
        };
        match (at(&source, from.file_name())?, at(&target, to.file_name())?) {
            (false, true) => return Ok(Outcome::Done),
            (false, false) => return Ok(Outcome::Changed),
            (true, true) if !stands((self.slots, &mark(from)))? => return Ok(Outcome::Changed),
            (true, _) => {}
        }
        let (Some(source), Some(target)) = (&source, &target) else { return Ok(Outcome::Changed) };
        self.shift((source.as_fd(), from.file_name()), (target.as_fd(), to.file_name()), &mark(from))
    }

    pub(super) fn undo_move(self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        let Some(target) = self.folder_if_there(to)? else { return Ok(()) };
        let moved = (target.as_fd(), to.file_name());
        if !stands(moved)? {
            return Ok(());
        }
        let source = self.folder_of(from)?;
        let home = (source.as_fd(), from.file_name());
        if stands(home)? {
            if !stands((self.slots, &mark(from)))? {
                // Both always were there: nothing was moved.
                return Ok(());
            }
            // Of the old folder a part may be gone; all of it is in the copy.
            match (manifest::read_in(home.0, home.1)?, manifest::read_in(moved.0, moved.1)?) {
                (Some(rest), Some(copy)) if rest.is_part_of(&copy) => manifest::remove(home.0, home.1)?,
                _ => return Err(io::Error::other("somebody has changed it meanwhile")),
            }
        }
        disk::remove_file(self.slots, mark(from).as_str())?;
        match self.shift(moved, home, &format!("{}.back", mark(from)))? {
            Outcome::Done => Ok(()),
            Outcome::Changed => Err(io::Error::other("somebody has changed it meanwhile")),
        }
    }

    /// Whether a folder was, or is being, moved by copying.
    pub(super) fn is_copying(self, from: &RelPath) -> io::Result<bool> {
        stands((self.slots, &mark(from)))
    }

    fn shift(self, from: Name<'_>, to: Name<'_>, mark: &str) -> io::Result<Outcome> {
        if !stands((self.slots, mark))? {
            match disk::rename(from, to, Onto::Nothing) {
                Ok(()) => return Ok(Outcome::Done),
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Outcome::Changed),
                Err(error) => return Err(error),
            }
            drop(disk::create_file(self.slots, mark)?);
            disk::sync_dir(self.slots, "tx")?;
        }
        if !stands(to)? {
            let beside = format!(".{}.hewto-new", to.1);
            manifest::remove(to.0, beside.as_str())?;
            manifest::copy(from, (to.0, &beside))?;
            disk::rename((to.0, &beside), to, Onto::Nothing)?;
            disk::sync_dir(to.0, to.1)?;
        }
        match (manifest::read_in(from.0, from.1)?, manifest::read_in(to.0, to.1)?) {
            (None, _) => Ok(Outcome::Done),
            (Some(rest), Some(copy)) if rest.is_part_of(&copy) => {
                manifest::remove(from.0, from.1)?;
                Ok(Outcome::Done)
            }
            // Somebody has changed the old one since it was copied.
            _ => Ok(Outcome::Changed),
        }
    }
}

/// Says that a folder is being copied.
fn mark(from: &RelPath) -> String {
    format!("copying-{}", ContentHash::of(from.as_bytes()))
}
