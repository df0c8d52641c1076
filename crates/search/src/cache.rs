//! Files of a cache: replaced whole, locked across processes, free to vanish.
//!
//! Every system call of this crate that writes a file of its own sits here or in [`crate::vectors`]; the lexical
//! index writes its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a held lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// Writes a file beside its place and renames it there; on failure the old one stays and nothing is left behind.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    // What a process of the same number left behind, or somebody planted: nothing is written through it.
    let _ = fs_err::remove_file(&temporary);
    let written = File::options()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| fs_err::rename(&temporary, path));
    if written.is_err() {
        // Nothing more can be done for a file that may not even exist.
        let _ = fs_err::remove_file(&temporary);
    }
    written
}

/// Opens a file of ours. What stands in its place and is no plain file, a link say, is as good as nothing: nobody reads or writes
/// through it, or waits for it.
pub(crate) fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    if is_plain(path)? {
        options.open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::NotFound, "not a plain file"))
    }
}

/// Whether a file stands there itself, and no link to one, no folder and no pipe.
pub(crate) fn is_plain(path: &Path) -> io::Result<bool> {
    Ok(fs_err::symlink_metadata(path)?.is_file())
}

/// An exclusive lock between processes, given back when dropped, also by a process that dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// `None` when someone else kept it for the whole time.
    pub(crate) fn wait(path: &Path, patience: Duration) -> io::Result<Option<Self>> {
        if is_plain(path).is_ok_and(|is_plain| !is_plain) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the lock is not a plain file"));
        }
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if start.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, |file| file.write_all(b"old")).unwrap();
        let full = replace(&path, |file| {
            file.write_all(b"ne")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs_err::read(&path).unwrap(), b"old");
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_written_through_a_link_in_the_place_of_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let [path, precious] = ["file", "precious"].map(|name| folder.path().join(name));
        fs_err::write(&precious, "kept").unwrap();
        let planted = folder.path().join(format!("file.{}.tmp", std::process::id()));
        std::os::unix::fs::symlink(&precious, planted).unwrap();
        replace(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs_err::read(&precious).unwrap(), b"kept");
        assert!(is_plain(&path).unwrap());
        assert_eq!(fs_err::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_lock_is_held_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::wait(&path, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(Lock::wait(&path, Duration::ZERO).unwrap().is_none());
        drop(held);
        assert!(Lock::wait(&path, Duration::ZERO).unwrap().is_some());
    }
}
