//! Small files that belong to the machine and to nobody's text: written whole, one at a time, without the journal.

use std::io;
use std::os::fd::AsFd;

use crate::beneath::{Root, is_missing};
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::layout::Places;
use crate::path::RelPath;
use crate::state_dir;

/// The bytes of a file; `None` when it is not there.
pub(crate) fn read(home: &Root, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
    match home.read_real(path) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(FileError::at("read", path)(error)),
    }
}

/// When a file has to be on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// Before it takes its place: a crash leaves it or the one before.
    Synced,
    /// It can be made again: after a loss of power it may be old, torn or gone, and whoever reads it has to notice.
    Whenever,
}

/// Puts a whole file in the place of another.
pub(crate) fn write(
    home: &Root,
    places: &Places,
    path: &RelPath,
    bytes: &[u8],
    lasting: Lasting,
) -> Result<(), FileError> {
    try_write(home, places, path, bytes, lasting).map_err(FileError::at("write", path))
}

fn try_write(home: &Root, places: &Places, path: &RelPath, bytes: &[u8], lasting: Lasting) -> io::Result<()> {
    let folder = state_dir::ensure_parent(home, places, path)?;
    let draft = format!(".{}.{}.new", path.file_name(), uuid::Uuid::new_v4());
    let file = disk::create_file(folder.as_fd(), &draft)?;
    let synced = || if lasting == Lasting::Synced { disk::sync_file(&file, &draft) } else { Ok(()) };
    let written = disk::write(&file, &draft, bytes).and_then(|()| synced()).and_then(|()| {
        disk::rename((folder.as_fd(), &draft), (folder.as_fd(), path.file_name()), Onto::Anything)
    });
    if written.is_err() {
        let _ = disk::remove_file(folder.as_fd(), &draft);
    }
    written
}

/// Removes a file; one that is not there is fine.
pub(crate) fn remove(home: &Root, path: &RelPath) -> Result<(), FileError> {
    let removed = match home.open_real_dir(path.parent().as_ref()) {
        Ok(folder) => disk::remove_file(folder.as_fd(), path.file_name()),
        Err(error) if is_missing(&error) => Ok(()),
        Err(error) => Err(error),
    };
    removed.map_err(FileError::at("remove", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn a_file_is_written_whole_read_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::load(&fs_err::canonicalize(dir.path()).unwrap());
        let home = Root::open(layout.state_root()).unwrap();
        let path = layout.places().clarify.path().join("session.json").unwrap();
        assert_eq!(read(&home, &path).unwrap(), None);
        for text in ["one", "two"] {
            write(&home, layout.places(), &path, text.as_bytes(), Lasting::Synced).unwrap();
            assert_eq!(read(&home, &path).unwrap().unwrap(), text.as_bytes());
        }
        let ignored = fs_err::read_to_string(dir.path().join(".hewto/.gitignore")).unwrap();
        assert!(ignored.contains("/clarify/"));
        remove(&home, &path).unwrap();
        remove(&home, &path).unwrap();
        assert_eq!(fs_err::read_dir(dir.path().join(".hewto/clarify")).unwrap().count(), 0);
    }
}
