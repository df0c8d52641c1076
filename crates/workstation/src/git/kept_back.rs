//! What is never staged: the owner's keys and permissions, where a repository takes in the folder that holds them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Stat};

use super::command::{Git, Task};
use crate::confine::secret;
use crate::error::Result;

impl Git<'_> {
    /// The protected folders below the top of the work tree, as git is told them. Refuses paths that lie in one of them.
    pub(super) fn kept_back(&self, paths: &[OsString]) -> Result<Vec<OsString>> {
        let roots = self.station.roots();
        let protected = roots.protected();
        let top = self.repository.place.path(roots);
        let below = |folder: &PathBuf| folder.strip_prefix(&top).ok().map(Path::to_owned);
        let folders: Vec<PathBuf> = protected.folders.iter().filter_map(below).collect();
        for path in paths {
            let path = Path::new(path).strip_prefix(".").unwrap_or(Path::new(path));
            if folders.iter().any(|folder| path.starts_with(folder)) {
                return Err(secret(&path.display().to_string()));
            }
        }
        self.refuse_other_names(paths)?;
        Ok(folders.into_iter().filter(|folder| !folder.as_os_str().is_empty()).map(Into::into).collect())
    }

    /// A file of the owner's may have a second name, which git would stage like any other.
    fn refuse_other_names(&self, paths: &[OsString]) -> Result<()> {
        let protected = self.station.roots().protected();
        let secrets: Vec<Stat> = protected.secrets().into_iter().filter(|file| file.st_nlink > 1).collect();
        if secrets.is_empty() {
            return Ok(());
        }
        let task = Task::new(["ls-files", "--others", "--modified", "--exclude-standard", "-z"]).paths(paths);
        let output = self.must(&task.doing("list what would be staged"))?;
        for name in output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let name = OsStr::from_bytes(name);
            let Ok(stat) = rustix::fs::statat(&self.repository, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let is_same = |file: &Stat| (file.st_dev, file.st_ino) == (stat.st_dev, stat.st_ino);
            if secrets.iter().any(is_same) {
                return Err(secret(&name.to_string_lossy()));
            }
        }
        Ok(())
    }
}
