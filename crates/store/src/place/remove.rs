//! Takes a file or a folder out of the tree. It goes to the transaction's folder in one step and is looked at there: what
//! turns out to be something else goes back. As long as it waits there, the step counts as done; whatever comes to stand in
//! its old place meanwhile, such as a checkout, is somebody else's.

use std::io;
use std::os::fd::AsFd as _;

use super::put::write_copy;
use super::{Name, Outcome, Present, Site, present_in, stands};
use crate::disk::{self, Onto};
use crate::hash::ContentHash;
use crate::manifest;
use crate::path::RelPath;

impl Site<'_> {
    pub(super) fn delete(self, path: &RelPath, old: ContentHash) -> io::Result<Outcome> {
        let name = slot_of(path);
        let slot = (self.slots, name.as_str());
        let Some(folder) = self.folder_if_there(path)? else { return Ok(Outcome::Done) };
        let place = (folder.as_fd(), path.file_name());
        match present_in(slot)? {
            Present::File(hash, _) if hash == old => return self.finish_copied_removal(&name, old, place),
            Present::Nothing => {}
            // An earlier attempt took something else, and could not put it back.
            Present::File(..) | Present::TooLarge | Present::Other => return put_back(slot, place),
        }
        match present_in(place)? {
            Present::Nothing => return Ok(Outcome::Done),
            now if now.is(old) => {}
            Present::File(..) | Present::TooLarge | Present::Other => return Ok(Outcome::Changed),
        }
        match disk::rename(place, slot, Onto::Nothing) {
            Ok(()) if present_in(slot)?.is(old) => Ok(Outcome::Done),
            Ok(()) => put_back(slot, place),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let draft = format!("{name}.new");
                write_copy(place, (self.slots, &draft))?;
                if !present_in((self.slots, &draft))?.is(old) {
                    return Ok(Outcome::Changed);
                }
                drop(disk::create_file(self.slots, begun(&name).as_str()).or_else(forgive_existing)?);
                disk::rename((self.slots, &draft), slot, Onto::Anything)?;
                self.finish_copied_removal(&name, old, place)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Outcome::Done),
            Err(error) => Err(error),
        }
    }

    /// Removes a file that was copied, unless that is done; what has come to stand there since is somebody else's.
    fn finish_copied_removal(self, name: &str, old: ContentHash, place: Name<'_>) -> io::Result<Outcome> {
        if self.is_under_way(name)? {
            if present_in(place)?.is(old) {
                disk::remove_file(place.0, place.1)?;
            }
            drop(disk::create_file(self.slots, ended(name).as_str()).or_else(forgive_existing)?);
        }
        Ok(Outcome::Done)
    }

    pub(super) fn delete_dir(self, path: &RelPath, old: ContentHash) -> io::Result<Outcome> {
        let name = slot_of(path);
        let slot = (self.slots, name.as_str());
        let Some(folder) = self.folder_if_there(path)? else { return Ok(Outcome::Done) };
        let place = (folder.as_fd(), path.file_name());
        if let Some(waiting) = manifest::read_in(slot.0, slot.1)? {
            return if waiting.hash == old {
                self.finish_removal(&waiting, &name, place)
            } else {
                put_back(slot, place)
            };
        }
        match manifest::read_in(place.0, place.1)? {
            None => return Ok(Outcome::Done),
            Some(now) if now.hash != old => return Ok(Outcome::Changed),
            Some(_) => {}
        }
        match disk::rename(place, slot, Onto::Nothing) {
            Ok(()) => match manifest::read_in(slot.0, slot.1)? {
                Some(taken) if taken.hash != old => put_back(slot, place),
                _ => Ok(Outcome::Done),
            },
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.copy_away(&name, place)?;
                match manifest::read_in(slot.0, slot.1)? {
                    Some(taken) if taken.hash == old => self.finish_removal(&taken, &name, place),
                    _ => {
                        manifest::remove(slot.0, slot.1)?;
                        Ok(Outcome::Changed)
                    }
                }
            }
            Err(error) => Err(error),
        }
    }

    /// A folder that cannot be renamed is copied, then removed where it stands. A mark says that the removal has begun
    /// with the copy complete, and another one that it has ended.
    fn copy_away(self, name: &str, place: Name<'_>) -> io::Result<()> {
        let draft = format!("{name}.new");
        manifest::remove(self.slots, draft.as_str())?;
        manifest::copy(place, (self.slots, &draft))?;
        drop(disk::create_file(self.slots, begun(name).as_str()).or_else(forgive_existing)?);
        disk::rename((self.slots, &draft), (self.slots, name), Onto::Nothing)?;
        disk::sync_dir(self.slots, "tx")
    }

    fn finish_removal(
        self,
        waiting: &manifest::Manifest,
        name: &str,
        place: Name<'_>,
    ) -> io::Result<Outcome> {
        if self.is_under_way(name)? {
            if let Some(rest) = manifest::read_in(place.0, place.1)? {
                if !rest.is_part_of(waiting) {
                    return Ok(Outcome::Changed);
                }
                manifest::remove(place.0, place.1)?;
            }
            drop(disk::create_file(self.slots, ended(name).as_str()).or_else(forgive_existing)?);
        }
        Ok(Outcome::Done)
    }

    /// Whether a path was taken out of the tree and waits.
    pub(super) fn removed(self, path: &RelPath) -> io::Result<bool> {
        stands((self.slots, &slot_of(path)))
    }

    /// Whether it was copied and is being removed where it stands.
    pub(super) fn is_removing(self, path: &RelPath) -> io::Result<bool> {
        self.is_under_way(&slot_of(path))
    }

    fn is_under_way(self, name: &str) -> io::Result<bool> {
        Ok(stands((self.slots, &begun(name)))? && !stands((self.slots, &ended(name)))?)
    }

    pub(super) fn undo_removal(self, path: &RelPath) -> io::Result<()> {
        let name = slot_of(path);
        let slot = (self.slots, name.as_str());
        if !stands(slot)? {
            return Ok(());
        }
        let folder = self.folder_of(path)?;
        let place = (folder.as_fd(), path.file_name());
        if self.is_under_way(&name)? {
            // Only a part of it is gone, or nothing; all of it is in the copy.
            match present_in(slot)? {
                Present::File(hash, _) if present_in(place)?.is(hash) => disk::remove_file(place.0, place.1)?,
                Present::File(..) => {}
                _ => manifest::remove(place.0, place.1)?,
            }
        }
        let result = match disk::rename(slot, place, Onto::Nothing) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => match present_in(slot)? {
                Present::File(..) => write_copy(slot, place).and_then(|()| disk::remove_file(slot.0, slot.1)),
                _ => manifest::copy(slot, place).and_then(|()| manifest::remove(slot.0, slot.1)),
            },
            result => result,
        };
        for mark in [begun(&name), ended(&name)] {
            disk::remove_file(self.slots, mark.as_str())?;
        }
        result
    }
}

/// Where something that was taken out of the tree waits.
pub(crate) fn slot_of(path: &RelPath) -> String {
    format!("removed-{}", ContentHash::of(path.as_bytes()))
}

fn begun(slot: &str) -> String {
    format!("{slot}.begun")
}

fn ended(slot: &str) -> String {
    format!("{slot}.ended")
}

fn forgive_existing(error: io::Error) -> io::Result<std::fs::File> {
    if error.kind() == io::ErrorKind::AlreadyExists { std::fs::File::open("/dev/null") } else { Err(error) }
}

fn put_back(slot: Name<'_>, place: Name<'_>) -> io::Result<Outcome> {
    match disk::rename(slot, place, Onto::Nothing) {
        Ok(()) => Ok(Outcome::Changed),
        // Yet another thing has come to stand there: what was taken stays in the journal, and is reported.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::Changed),
        Err(error) => Err(error),
    }
}
