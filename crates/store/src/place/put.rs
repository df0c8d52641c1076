//! Gives a file its new text. Old and new text change places in one step, so that even an edit in the very last moment is
//! noticed and put back.

use std::io;
use std::os::fd::AsFd as _;

use rustix::fs::Mode;

use super::{Name, Outcome, Present, Site, present_in};
use crate::beneath;
use crate::disk::{self, Exchange, Onto};
use crate::hash::ContentHash;
use crate::journal::Put;

impl Site<'_> {
    pub(super) fn put(self, put: &Put) -> io::Result<Outcome> {
        let Put { path, old, new, blob } = put;
        let from = (self.slots, blob.as_str());
        let staged = match present_in(from)? {
            // It has been put in its place already.
            Present::Nothing => return Ok(Outcome::Done),
            // The exchange is done; where the folder was moved since, there is nothing to look at.
            Present::File(hash, _) if Some(hash) == *old => return Ok(Outcome::Done),
            Present::File(hash, _) => hash,
            Present::TooLarge | Present::Other => return Ok(Outcome::Changed),
        };
        let folder = self.folder_of(path)?;
        let to = (folder.as_fd(), path.file_name());
        let now = present_in(to)?;
        if staged != *new {
            // An earlier attempt took somebody's edit in the exchange, unless the journal is damaged.
            return if now.is(*new) { put_back(from, to) } else { Ok(Outcome::Changed) };
        }
        match (now, *old) {
            (Present::File(hash, _), _) if hash == *new => Ok(Outcome::Done),
            (Present::Nothing, None) => self.bring(blob, to, Onto::Nothing),
            (Present::File(hash, _), Some(old)) if hash == old => self.replace(blob, old, to),
            _ => Ok(Outcome::Changed),
        }
    }

    /// Takes the place of the old text, and looks afterwards whether it really was the old text.
    fn replace(self, blob: &str, old: ContentHash, to: Name<'_>) -> io::Result<Outcome> {
        let from = (self.slots, blob);
        match disk::exchange(from, to) {
            Ok(Exchange::Done) => match present_in(from)? {
                Present::File(replaced, _) if replaced != old => put_back(from, to),
                _ => Ok(Outcome::Done),
            },
            Ok(Exchange::Unsupported) => {
                self.keep(blob, to)?;
                self.bring(blob, to, Onto::Anything)
            }
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.keep(blob, to)?;
                copy(from, to, Onto::Anything)
            }
            // Somebody deleted it in the last moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Outcome::Changed),
            Err(error) => Err(error),
        }
    }

    fn bring(self, blob: &str, to: Name<'_>, onto: Onto) -> io::Result<Outcome> {
        let from = (self.slots, blob);
        match disk::rename(from, to, onto) {
            Ok(()) => Ok(Outcome::Done),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::Changed),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy(from, to, onto),
            Err(error) => Err(error),
        }
    }

    /// Keeps a copy of what is about to be replaced, where it cannot change places with the new text.
    fn keep(self, blob: &str, to: Name<'_>) -> io::Result<()> {
        let slot = kept(blob);
        if matches!(present_in((self.slots, &slot))?, Present::Nothing) {
            let draft = format!("{slot}.new");
            write_copy(to, (self.slots, &draft))?;
            disk::rename((self.slots, &draft), (self.slots, &slot), Onto::Anything)?;
        }
        Ok(())
    }

    /// Puts back what the exchange took, if it was somebody's edit, and removes what was copied beside the place.
    pub(super) fn return_edit(self, put: &Put) -> io::Result<()> {
        let Put { path, old, new, blob } = put;
        let from = (self.slots, blob.as_str());
        let Some(folder) = self.folder_if_there(path)? else { return Ok(()) };
        let to = (folder.as_fd(), path.file_name());
        disk::remove_file(to.0, &beside(to.1))?;
        match present_in(from)? {
            Present::File(staged, _)
                if staged != *new && Some(staged) != *old && present_in(to)?.is(*new) =>
            {
                put_back(from, to).map(drop)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn undo_put(self, put: &Put) -> io::Result<()> {
        let Put { path, old, new, blob } = put;
        let from = (self.slots, blob.as_str());
        let Some(folder) = self.folder_if_there(path)? else { return Ok(()) };
        let to = (folder.as_fd(), path.file_name());
        if !present_in(to)?.is(*new) {
            // It was not put there, or somebody has changed it since.
            return Ok(());
        }
        match (*old, present_in(from)?) {
            (Some(old), Present::File(staged, _)) if staged == old => {
                disk::exchange(from, to)?;
                Ok(())
            }
            (Some(_), _) => {
                let slot = kept(blob);
                match present_in((self.slots, &slot))? {
                    Present::File(..) => copy((self.slots, &slot), to, Onto::Anything).map(drop),
                    _ => Err(io::Error::other("its old text is not there any more")),
                }
            }
            (None, Present::Nothing) => match disk::rename(to, from, Onto::Nothing) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => disk::remove_file(to.0, to.1),
                result => result,
            },
            // The content was copied: the journal still has its own.
            (None, _) => disk::remove_file(to.0, to.1),
        }
    }
}

/// Where a content is copied to before it takes its place.
fn beside(name: &str) -> String {
    format!(".{name}.hewto-new")
}

/// The copy of a replaced text, in the transaction's folder.
fn kept(blob: &str) -> String {
    format!("old-{blob}")
}

/// What was replaced was somebody's edit of the last moment: it goes back.
fn put_back(from: Name<'_>, to: Name<'_>) -> io::Result<Outcome> {
    disk::exchange(from, to)?;
    Ok(Outcome::Changed)
}

/// The folder is a mount of its own: the content is copied beside its place first.
fn copy(from: Name<'_>, to: Name<'_>, onto: Onto) -> io::Result<Outcome> {
    let beside = beside(to.1);
    write_copy(from, (to.0, &beside))?;
    match disk::rename((to.0, &beside), to, onto) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            disk::remove_file(to.0, &beside)?;
            Ok(Outcome::Changed)
        }
        Err(error) => Err(error),
    }
}

pub(super) fn write_copy(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
    let (bytes, stat) = beneath::read_in(from.0, from.1)?;
    disk::remove_file(to.0, to.1)?;
    let file = disk::create_file(to.0, to.1)?;
    disk::write(&file, to.1, &bytes)?;
    disk::set_mode(&file, to.1, Mode::from_raw_mode(stat.st_mode))?;
    disk::sync_file(&file, to.1)
}
