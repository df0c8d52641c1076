//! Puts staged contents in their places, or takes them back. Both can be interrupted anywhere and started again, and
//! either can follow the other.
//!
//! What a step replaces or removes waits in the folder of its transaction until the whole commit is done, so that nothing
//! is lost when a later step fails. Where the waiting thing lies tells whether the step was done: a file that somebody
//! else put in the same place afterwards is never mistaken for the old one.

mod put;
mod remove;
mod rest;
mod shift;

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Gid, Mode, Uid};
use rustix::io::Errno;

use crate::beneath::{self, Root, is_missing};
use crate::doc::MAX_OWN_BYTES;
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::journal::{Put, Step};
use crate::path::RelPath;
use crate::{disk, git};

pub(crate) use self::remove::slot_of;

/// A step that was not done because the file had changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) path: RelPath,
    /// The content that was meant for it, by its name in the transaction's folder.
    pub(crate) blob: Option<String>,
    /// The file that somebody had changed, where it was another one.
    pub(crate) because_of: Option<RelPath>,
}

/// What stands at a path now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Present {
    Nothing,
    File(ContentHash, Attributes),
    /// A file that is larger than hewto reads or writes any; whatever is in it, nobody has decided on it.
    TooLarge,
    /// A folder, a link, a device.
    Other,
}

/// What a file has beside its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) mode: Mode,
    pub(crate) owner: Uid,
    pub(crate) group: Gid,
}

/// Whether a step found its path as it expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Changed,
}

/// How many folders are open at a time to be synced together.
const MOST_OPEN: usize = 64;

/// A name in an open folder.
type Name<'a> = (BorrowedFd<'a>, &'a str);

/// Where the steps of one transaction are done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) root: &'a Root,
    /// The open folder of the transaction.
    pub(crate) slots: BorrowedFd<'a>,
}

impl Site<'_> {
    /// Does all steps in order, then makes the touched folders durable.
    pub(crate) fn put_in_place(self, steps: &[Step]) -> Result<Vec<Left>, FileError> {
        let mut left = Vec::new();
        for step in steps {
            if self.run(step).map_err(FileError::at(step.doing(), step.path()))? == Outcome::Changed {
                let blob = match step {
                    Step::Put(Put { blob, .. }) => Some(blob.clone()),
                    _ => None,
                };
                left.push(Left { path: step.path().clone(), blob, because_of: None });
            }
        }
        self.sync(steps)?;
        Ok(left)
    }

    /// Undoes what was done of the steps, the last first, and removes the folders that were made for them.
    pub(crate) fn take_back(self, steps: &[Step], made: &[RelPath]) -> Result<(), FileError> {
        for step in steps.iter().rev() {
            self.undo(step).map_err(FileError::at("take back", step.path()))?;
        }
        for folder in made.iter().rev() {
            let Ok(parent) = self.root.open_dir_to_write(folder.parent().as_ref()) else { continue };
            // One that somebody else uses by now stays.
            let _ = disk::remove_dir(parent.as_fd(), folder.file_name());
        }
        self.sync(steps)
    }

    /// Puts back the edits that were taken out of the tree in the last moment, of steps that are neither finished nor taken back.
    pub(crate) fn return_edits(self, steps: &[Step]) -> Result<(), FileError> {
        for step in steps {
            if let Step::Put(put) = step {
                self.return_edit(put).map_err(FileError::at("write", &put.path))?;
            }
        }
        self.sync(steps)
    }

    fn run(self, step: &Step) -> io::Result<Outcome> {
        match step {
            Step::Put(put) => self.put(put),
            Step::Delete { path, old } => self.delete(path, *old),
            Step::DeleteDir { path, old } => self.delete_dir(path, *old),
            Step::MoveDir { from, to } => self.move_dir(from, to),
        }
    }

    fn undo(self, step: &Step) -> io::Result<()> {
        match step {
            Step::Put(put) => self.undo_put(put),
            Step::Delete { path, .. } | Step::DeleteDir { path, .. } => self.undo_removal(path),
            Step::MoveDir { from, to } => self.undo_move(from, to),
        }
    }

    /// The folder that a path stands in, open for writing; made if it has to be.
    fn folder_of(self, path: &RelPath) -> io::Result<OwnedFd> {
        match path.parent() {
            Some(parent) => self.root.make_dirs(&parent),
            None => self.root.open_dir_to_write(None),
        }
    }

    /// The same where nothing is made.
    fn folder_if_there(self, path: &RelPath) -> io::Result<Option<OwnedFd>> {
        match self.root.open_dir_to_write(path.parent().as_ref()) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn sync(self, steps: &[Step]) -> Result<(), FileError> {
        let mut folders = BTreeSet::new();
        for step in steps {
            match step {
                Step::Put(Put { path, .. }) | Step::Delete { path, .. } | Step::DeleteDir { path, .. } => {
                    folders.insert(path.parent());
                }
                Step::MoveDir { from, to } => folders.extend([from.parent(), to.parent()]),
            }
        }
        let folders: Vec<_> = folders.into_iter().collect();
        for some in folders.chunks(MOST_OPEN) {
            let mut open = Vec::with_capacity(some.len());
            for folder in some {
                let name = folder.as_ref().map_or(".", RelPath::as_str);
                match self.root.open_dir(folder.as_ref()) {
                    Ok(folder) => open.push((folder, name)),
                    // It was moved away by a later step, or by someone else.
                    Err(error) if is_missing(&error) => {}
                    Err(source) => {
                        return Err(FileError { doing: "sync", path: name.to_owned(), source });
                    }
                }
            }
            let all: Vec<_> = open.iter().map(|(folder, name)| (folder.as_fd(), *name)).collect();
            let path = || all.first().map_or(".", |(_, name)| name).to_owned();
            disk::sync_all(&[], &all).map_err(|source| FileError { doing: "sync", path: path(), source })?;
        }
        Ok(())
    }
}

/// Looks at a file through its folder, so that a link at its place is seen as a link.
pub(crate) fn present(root: &Root, path: &RelPath) -> io::Result<Present> {
    match root.look(path)? {
        None => Ok(Present::Nothing),
        Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Present::of_read(root.read_within(path.as_str(), MAX_OWN_BYTES))
        }
        Some(_) => Ok(Present::Other),
    }
}

/// Looks at a name in an open folder.
pub(crate) fn present_in((folder, name): Name<'_>) -> io::Result<Present> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(Present::Nothing),
        Err(error) => Err(error.into()),
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Present::of_read(beneath::read_in_within(folder, name, MAX_OWN_BYTES))
        }
        Ok(_) => Ok(Present::Other),
    }
}

fn stands((folder, name): Name<'_>) -> io::Result<bool> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Present {
    fn of_read(read: io::Result<(Vec<u8>, rustix::fs::Stat)>) -> io::Result<Self> {
        match read {
            // The `.git` of a work tree or submodule is a file, and git's own whatever it is called here.
            Ok((bytes, _)) if git::is_gitfile(&bytes) => Ok(Self::Other),
            Ok((bytes, stat)) => Ok(Self::File(ContentHash::of(&bytes), Attributes::of(&stat))),
            Err(error) if is_missing(&error) => Ok(Self::Nothing),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Self::TooLarge),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn is(self, hash: ContentHash) -> bool {
        matches!(self, Self::File(here, _) if here == hash)
    }
}

impl Attributes {
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            mode: Mode::from_raw_mode(stat.st_mode),
            owner: Uid::from_raw(stat.st_uid),
            group: Gid::from_raw(stat.st_gid),
        }
    }
}
