//! The files of the word index, read piece by piece rather than mapped into memory.
//!
//! A mapped file that somebody cuts off ends the process that looks at it; a read file is an error that can be dealt
//! with. Only what is looked at takes memory. Everything but reading is left to tantivy's own directory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, OwnedBytes, WatchCallback,
    WatchHandle, WritePtr,
};

/// How the files of an index are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// What is looked at, when it is looked at: what somebody did to the files is noticed.
    Pieces,
    /// Small files whole, once: a word is then found without asking the system, which counts where one question is put to hundreds
    /// of indexes.
    SmallOnesWhole,
}

/// Files up to this size are small.
const SMALL: usize = 1 << 18;
/// tantivy ends each of its files with a footer and panics at one that is too short to have any.
const FOOTER: usize = 8;
/// Entries as they are shown: only the best are read, so these are never read whole.
const STORED: &str = "store";

#[derive(Debug, Clone)]
pub(super) struct ReadDirectory {
    folder: PathBuf,
    reading: Reading,
    inner: MmapDirectory,
}

impl ReadDirectory {
    pub(super) fn open(folder: &Path, reading: Reading) -> tantivy::Result<Self> {
        Ok(Self { folder: folder.to_owned(), reading, inner: MmapDirectory::open(folder)? })
    }
}

impl Directory for ReadDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let opened = File::open(self.folder.join(path)).and_then(|file| {
            let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
            if length < FOOTER {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let is_kept = self.reading == Reading::SmallOnesWhole
                && length <= SMALL
                && path.extension().is_none_or(|end| end != STORED);
            Ok(ReadFile { file, length, kept: is_kept.then(OnceLock::new) })
        });
        match opened {
            Ok(file) => Ok(Arc::new(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(OpenReadError::FileDoesNotExist(path.to_owned()))
            }
            Err(error) => Err(OpenReadError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.inner.acquire_lock(lock) {
            // Who only reads keeps others from tidying files away; where nothing may be written nobody does.
            Err(LockError::IoError(error)) if is_read_only(&error) && lock.filepath == META_LOCK.filepath => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            acquired => acquired,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A file with the length it had when it was opened.
#[derive(Debug)]
struct ReadFile {
    file: File,
    length: usize,
    /// All of it, once somebody has read some; `None` where it is too large for that.
    kept: Option<OnceLock<OwnedBytes>>,
}

impl ReadFile {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

impl HasLen for ReadFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl FileHandle for ReadFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let Some(kept) = self.kept.as_ref().filter(|_| range.end <= self.length) else {
            return self.read(range);
        };
        if let Some(whole) = kept.get() {
            return Ok(whole.slice(range));
        }
        let whole = self.read(0..self.length)?;
        Ok(kept.get_or_init(|| whole).slice(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_is_read_once_and_a_large_one_as_often_as_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let directory = ReadDirectory::open(folder.path(), Reading::SmallOnesWhole).unwrap();
        for (name, size, is_kept) in [("a.idx", 9, true), ("a.store", 9, false), ("b.idx", SMALL + 1, false)]
        {
            let path = folder.path().join(name);
            fs_err::write(&path, vec![7; size]).unwrap();
            let file = directory.get_file_handle(Path::new(name)).unwrap();
            assert_eq!(file.read_bytes(2..5).unwrap().as_slice(), [7; 3]);
            File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
            assert_eq!(file.read_bytes(2..5).is_ok(), is_kept, "{name}");
            assert!(file.read_bytes(2..size + 1).is_err());
        }
    }
}
