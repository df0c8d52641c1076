//! Where a replica keeps what is derived, unless somebody names a folder: a temporary one, which is gone when the replica is,
//! or soon after. Whoever stops a replica waits a moment for that and no longer; the next one takes away what is left.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

/// How the folders of replicas begin, and those that nobody needs any more.
const PREFIX: &str = "hewto-hub-";
const OVER: &str = "hewto-hub-over-";
/// Held by the replica for as long as it lives.
const LOCK: &str = "in-use";
/// How long the end of a replica waits for its folder to go.
const PATIENCE: Duration = Duration::from_secs(2);

/// A folder of one replica.
#[derive(Debug)]
pub(super) struct IndexFolder {
    path: PathBuf,
    _lock: File,
    patience: Duration,
}

impl IndexFolder {
    /// Makes one among the temporary folders, and takes away what ended replicas left there.
    pub(super) fn temporary() -> io::Result<Self> {
        let made = Self::made(&mut tempfile::Builder::new(), None, PATIENCE)?;
        if let Some(place) = made.path.parent().map(Path::to_owned) {
            let ours = made.path.clone();
            // Nobody waits for that; what it does not get to is there next time.
            let _ = std::thread::Builder::new().name("sweep".to_owned()).spawn(move || sweep(&place, &ours));
        }
        Ok(made)
    }

    fn made(
        builder: &mut tempfile::Builder<'_, '_>,
        place: Option<&Path>,
        patience: Duration,
    ) -> io::Result<Self> {
        builder.prefix(PREFIX);
        let made = match place {
            Some(place) => builder.tempdir_in(place)?,
            None => builder.tempdir()?,
        };
        let lock = fs_err::File::create(made.path().join(LOCK))?.into_parts().0;
        lock.lock()?;
        Ok(Self { path: made.keep(), _lock: lock, patience })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for IndexFolder {
    fn drop(&mut self) {
        let (done, is_done) = channel();
        let path = put_aside(&self.path).unwrap_or_else(|| self.path.clone());
        let deleting = std::thread::Builder::new().name("sweep".to_owned()).spawn(move || {
            let _ = fs_err::remove_dir_all(path);
            let _ = done.send(());
        });
        if deleting.is_ok() {
            let _ = is_done.recv_timeout(self.patience);
        }
    }
}

/// Gives a folder a name that says that nobody needs it any more.
fn put_aside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let aside = path.with_file_name(format!("{OVER}{name}"));
    fs_err::rename(path, &aside).ok()?;
    Some(aside)
}

/// Takes away what replicas of this user have left that are not there any more.
fn sweep(place: &Path, ours: &Path) {
    let own = fs_err::symlink_metadata(ours).map(|found| found.uid()).ok();
    for entry in fs_err::read_dir(place).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX) && path != ours) else {
            continue;
        };
        let is_own =
            fs_err::symlink_metadata(&path).is_ok_and(|found| found.is_dir() && Some(found.uid()) == own);
        if !is_own {
            continue;
        }
        let over = if name.starts_with(OVER) {
            Some(path)
        } else if is_left(&path) {
            put_aside(&path)
        } else {
            None
        };
        if let Some(over) = over {
            let _ = fs_err::remove_dir_all(over);
        }
    }
}

/// Whether the replica of a folder has ended. One without a lock is being made.
fn is_left(path: &Path) -> bool {
    let Ok(lock) = fs_err::File::open(path.join(LOCK)) else { return false };
    !matches!(lock.file().try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(place: &Path) -> usize {
        fs_err::read_dir(place).unwrap().count()
    }

    fn folder(place: &Path, patience: Duration) -> IndexFolder {
        IndexFolder::made(&mut tempfile::Builder::new(), Some(place), patience).unwrap()
    }

    #[test]
    fn a_folder_goes_with_its_replica() {
        let place = tempfile::tempdir().unwrap();
        let one = folder(place.path(), Duration::from_mins(1));
        fs_err::create_dir_all(one.path().join("views/1/specs")).unwrap();
        drop(one);
        assert_eq!(names(place.path()), 0);
    }

    #[test]
    fn what_a_replica_leaves_goes_at_the_next_start_and_what_another_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let alive = folder(place.path(), Duration::from_mins(1));
        // As after a kill, and as after an end that did not wait.
        fs_err::create_dir_all(place.path().join("hewto-hub-killed/views")).unwrap();
        fs_err::write(place.path().join("hewto-hub-killed/in-use"), "").unwrap();
        fs_err::create_dir_all(place.path().join("hewto-hub-over-x/views/1")).unwrap();
        fs_err::create_dir(place.path().join("hewto-hub-begun")).unwrap();
        fs_err::create_dir(place.path().join("somebody-elses")).unwrap();
        sweep(place.path(), &place.path().join("hewto-hub-none"));
        assert_eq!(names(place.path()), 5, "this user cannot be told where the own folder is not there");
        sweep(place.path(), alive.path());
        assert_eq!(names(place.path()), 3);
        let next = folder(place.path(), Duration::from_mins(1));
        sweep(place.path(), next.path());
        assert!(alive.path().join(LOCK).exists(), "it is in use");
        assert_eq!(names(place.path()), 4);
    }

    #[test]
    fn whoever_ends_a_replica_does_not_wait_for_its_folder() {
        let place = tempfile::tempdir().unwrap();
        let one = folder(place.path(), Duration::ZERO);
        let path = one.path().to_owned();
        for at in 0..200 {
            fs_err::create_dir_all(path.join(format!("views/{at}"))).unwrap();
        }
        drop(one);
        assert!(!path.exists(), "it is put aside at once");
    }
}
