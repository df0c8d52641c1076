//! Puts staged contents in their places. It can be interrupted anywhere and started again.
//!
//! A content that is no longer in the journal has been put in place already. A file that is neither what it was nor
//! what it should become was changed by someone else, and is left alone. Old and new text change places in one step,
//! so that even an edit in the very last moment is noticed and put back.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode};

use crate::beneath::{Root, is_missing};
use crate::disk::{self, Exchange, Onto};
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::journal::Step;
use crate::manifest;
use crate::path::RelPath;

/// A step that was not done because the file had changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) path: RelPath,
    pub(crate) kept: Option<RelPath>,
}

/// Where the staged contents of a transaction wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blobs<'a> {
    pub(crate) home: &'a Root,
    pub(crate) folder: &'a RelPath,
}

/// What stands at a path now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Present {
    Nothing,
    File(ContentHash, Mode),
    /// A folder, a link, a device.
    Other,
}

/// Whether a step found its path as it expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Changed,
}

/// Does all steps in order, then makes the touched folders durable.
pub(crate) fn put_in_place(root: &Root, blobs: Blobs<'_>, steps: &[Step]) -> Result<Vec<Left>, FileError> {
    let mut left = Vec::new();
    for step in steps {
        let (path, outcome) = match step {
            Step::Put { path, old, new, blob } => {
                let source = blobs.folder.join(blob).expect("a content's name is a plain name");
                let put = Put { path, old: *old, new: *new, home: blobs.home, source: &source };
                let outcome = put.run(root).map_err(FileError::at("write", path))?;
                if outcome == Outcome::Changed {
                    left.push(Left { path: path.clone(), kept: Some(source) });
                }
                continue;
            }
            Step::Delete { path, old } => {
                (path, delete(root, path, *old).map_err(FileError::at("delete", path))?)
            }
            Step::DeleteDir { path, old } => {
                (path, delete_dir(root, blobs, path, *old).map_err(FileError::at("delete", path))?)
            }
            Step::MoveDir { from, to } => {
                (from, move_dir(root, from, to).map_err(FileError::at("move", from))?)
            }
        };
        if outcome == Outcome::Changed {
            left.push(Left { path: path.clone(), kept: None });
        }
    }
    sync_folders(root, steps)?;
    Ok(left)
}

/// Looks at a file through its folder, so that a link at its place is seen as a link.
pub(crate) fn present(root: &Root, path: &RelPath) -> io::Result<Present> {
    match root.look(path)? {
        None => Ok(Present::Nothing),
        Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            match root.read(path.as_str()) {
                Ok((bytes, stat)) => {
                    Ok(Present::File(ContentHash::of(&bytes), Mode::from_raw_mode(stat.st_mode)))
                }
                Err(error) if is_missing(&error) => Ok(Present::Nothing),
                Err(error) => Err(error),
            }
        }
        Some(_) => Ok(Present::Other),
    }
}

/// A name in an open folder.
type Name<'a> = (BorrowedFd<'a>, &'a str);

struct Put<'a> {
    path: &'a RelPath,
    old: Option<ContentHash>,
    new: ContentHash,
    /// What the journal, and so the source, is below.
    home: &'a Root,
    source: &'a RelPath,
}

impl Put<'_> {
    fn run(&self, root: &Root) -> io::Result<Outcome> {
        let staged = match present(self.home, self.source)? {
            Present::Nothing => return Ok(Outcome::Done),
            Present::File(hash, _) => hash,
            Present::Other => return Ok(Outcome::Changed),
        };
        let blobs = self.home.open_dir(self.source.parent().as_ref())?;
        let folder = match self.path.parent() {
            Some(parent) => root.make_dirs(&parent)?,
            None => root.open_dir(None)?,
        };
        let (from, to) = ((blobs.as_fd(), self.source.file_name()), (folder.as_fd(), self.path.file_name()));
        let now = present(root, self.path)?;
        if staged != self.new {
            // An earlier attempt got as far as the exchange, unless the journal is damaged.
            let is_ours = matches!(now, Present::File(hash, _) if hash == self.new);
            let was_exchanged = is_ours || Some(staged) == self.old;
            return if was_exchanged { self.judge_replaced(staged, from, to) } else { Ok(Outcome::Changed) };
        }
        match (now, self.old) {
            (Present::File(hash, _), _) if hash == self.new => drop_staged(from),
            (Present::Nothing, None) => self.rename(from, to, Onto::Nothing),
            (Present::File(hash, _), Some(old)) if hash == old => self.replace(from, to),
            _ => Ok(Outcome::Changed),
        }
    }

    /// Takes the place of the old text, and looks afterwards whether it really was the old text.
    fn replace(&self, from: Name<'_>, to: Name<'_>) -> io::Result<Outcome> {
        match disk::exchange(from, to) {
            Ok(Exchange::Done) => match present(self.home, self.source)? {
                Present::File(replaced, _) => self.judge_replaced(replaced, from, to),
                Present::Nothing | Present::Other => Ok(Outcome::Done),
            },
            Ok(Exchange::Unsupported) => self.rename(from, to, Onto::Anything),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.copy(from, to, Onto::Anything)
            }
            // Somebody deleted it in the last moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Outcome::Changed),
            Err(error) => Err(error),
        }
    }

    /// What was replaced now stands in the journal. Somebody's edit of the last moment goes back.
    fn judge_replaced(&self, replaced: ContentHash, from: Name<'_>, to: Name<'_>) -> io::Result<Outcome> {
        if Some(replaced) == self.old {
            return drop_staged(from);
        }
        disk::exchange(from, to)?;
        Ok(Outcome::Changed)
    }

    fn rename(&self, from: Name<'_>, to: Name<'_>, onto: Onto) -> io::Result<Outcome> {
        match disk::rename(from, to, onto) {
            Ok(()) => Ok(Outcome::Done),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::Changed),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => self.copy(from, to, onto),
            Err(error) => Err(error),
        }
    }

    /// The folder is a mount of its own: the content is copied beside its place first.
    fn copy(&self, from: Name<'_>, to: Name<'_>, onto: Onto) -> io::Result<Outcome> {
        let (bytes, stat) = self.home.read(self.source.as_str())?;
        let beside = format!(".{}.hewto-new", to.1);
        disk::remove_file(to.0, &beside)?;
        let file = disk::create_file(to.0, &beside)?;
        disk::write(&file, &beside, &bytes)?;
        disk::set_mode(&file, &beside, Mode::from_raw_mode(stat.st_mode))?;
        disk::sync_file(&file, &beside)?;
        match disk::rename((to.0, &beside), to, onto) {
            Ok(()) => drop_staged(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                disk::remove_file(to.0, &beside)?;
                Ok(Outcome::Changed)
            }
            Err(error) => Err(error),
        }
    }
}

fn drop_staged(from: Name<'_>) -> io::Result<Outcome> {
    disk::remove_file(from.0, from.1)?;
    Ok(Outcome::Done)
}

fn delete(root: &Root, path: &RelPath, old: ContentHash) -> io::Result<Outcome> {
    match present(root, path)? {
        Present::Nothing => Ok(Outcome::Done),
        Present::File(hash, _) if hash == old => {
            let folder = root.open_dir(path.parent().as_ref())?;
            disk::remove_file(folder.as_fd(), path.file_name())?;
            Ok(Outcome::Done)
        }
        Present::File(..) | Present::Other => Ok(Outcome::Changed),
    }
}

/// Takes a folder out of the tree in one step; what it held goes with the journal's own folder.
fn delete_dir(root: &Root, blobs: Blobs<'_>, path: &RelPath, old: ContentHash) -> io::Result<Outcome> {
    match manifest::read(root, path)? {
        None => return Ok(Outcome::Done),
        Some(manifest) if manifest.hash != old => return Ok(Outcome::Changed),
        Some(_) => {}
    }
    let source = root.open_dir(path.parent().as_ref())?;
    let journal = blobs.home.open_dir(Some(blobs.folder))?;
    let name = format!("removed-{}", ContentHash::of(path.as_bytes()));
    match disk::rename((source.as_fd(), path.file_name()), (journal.as_fd(), &name), Onto::Nothing) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            manifest::remove(source.as_fd(), path.file_name())?;
            Ok(Outcome::Done)
        }
        Err(error) => Err(error),
    }
}

fn move_dir(root: &Root, from: &RelPath, to: &RelPath) -> io::Result<Outcome> {
    match (root.look(from)?, root.look(to)?) {
        (None, Some(_)) => Ok(Outcome::Done),
        (Some(_), None) => {
            let source = root.open_dir(from.parent().as_ref())?;
            let target = match to.parent() {
                Some(parent) => root.make_dirs(&parent)?,
                None => root.open_dir(None)?,
            };
            let to = (target.as_fd(), to.file_name());
            disk::rename((source.as_fd(), from.file_name()), to, Onto::Nothing)?;
            Ok(Outcome::Done)
        }
        (None, None) | (Some(_), Some(_)) => Ok(Outcome::Changed),
    }
}

fn sync_folders(root: &Root, steps: &[Step]) -> Result<(), FileError> {
    let mut folders = BTreeSet::new();
    for step in steps {
        match step {
            Step::Put { path, .. } | Step::Delete { path, .. } | Step::DeleteDir { path, .. } => {
                folders.insert(path.parent());
            }
            Step::MoveDir { from, to } => folders.extend([from.parent(), to.parent()]),
        }
    }
    for folder in folders {
        let name = folder.as_ref().map_or(".", RelPath::as_str);
        let synced = match root.open_dir(folder.as_ref()) {
            Ok(open) => disk::sync_dir(open.as_fd(), name),
            // It was moved away by a later step, or by someone else.
            Err(error) if is_missing(&error) => Ok(()),
            Err(error) => Err(error),
        };
        synced.map_err(|source| FileError { doing: "sync", path: name.to_owned(), source })?;
    }
    Ok(())
}
