//! Whether the branches of a repository are still what they were, without asking git.

use std::path::{Path, PathBuf};

use rustix::fs::{FileType, lstat};

use super::git_folders;
use crate::stamp::{Disk, Stamp, Ticks};

/// More is not looked at: git is asked instead.
const MOST: usize = 2_000;

/// What the file system tells of the branches of a repository: as long as it is the same, so are they.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefsStamp(Vec<(PathBuf, Option<Stamp>)>);

impl RefsStamp {
    /// Of the repository around a workspace; `None` where there is none, it has too many branches, or one has just moved.
    pub fn of(workspace: &Path) -> Option<Self> {
        let refs = Self::look(workspace)?;
        // What changed a moment ago may change again under the same stamp.
        let mut known = refs.0.iter().filter_map(|(_, stamp)| stamp.as_ref());
        known.all(|stamp| Ticks(Disk::Remote).are_over(stamp)).then_some(refs)
    }

    fn look(workspace: &Path) -> Option<Self> {
        let (own, shared) = git_folders(workspace)?;
        let mut waiting = vec![own.join("HEAD"), shared.join("HEAD")];
        waiting.extend(["config", "packed-refs", "refs", "reftable"].map(|name| shared.join(name)));
        let mut stamps = Vec::new();
        while let Some(path) = waiting.pop() {
            let found = lstat(&path).ok();
            match found.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode)) {
                Some(FileType::Directory) => {
                    for entry in fs_err::read_dir(&path).ok()? {
                        waiting.push(entry.ok()?.path());
                    }
                }
                // Where it leads may change without a trace here.
                Some(FileType::Symlink) => return None,
                _ => {}
            }
            if stamps.len() + waiting.len() > MOST {
                return None;
            }
            stamps.push((path, found.as_ref().map(Stamp::of)));
        }
        stamps.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Some(Self(stamps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(".git").join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "HEAD", "ref: refs/heads/main\n");
        write(dir.path(), "refs/heads/main", "1\n");
        dir
    }

    #[test]
    fn whatever_moves_a_branch_is_seen() {
        let dir = repository();
        let mut before = RefsStamp::look(dir.path());
        assert!(before.is_some());
        assert_eq!(RefsStamp::look(dir.path()), before, "nothing moved");
        for (file, text) in [
            ("refs/heads/main", "22\n"),
            ("refs/heads/topic/one", "1\n"),
            ("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n"),
            ("packed-refs", "1 refs/heads/old\n"),
            ("HEAD", "ref: refs/heads/topic/one\n"),
            ("reftable/tables.list", "one\n"),
        ] {
            write(dir.path(), file, text);
            let now = RefsStamp::look(dir.path());
            assert_ne!(now, before, "{file}");
            before = now;
        }
        fs_err::remove_file(dir.path().join(".git/refs/heads/topic/one")).unwrap();
        assert_ne!(RefsStamp::look(dir.path()), before);
    }

    #[test]
    fn what_moved_just_now_lies_behind_a_link_or_is_no_repository_tells_nothing() {
        let dir = repository();
        assert_eq!(RefsStamp::of(dir.path()), None);
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join(".git/refs/remotes")).unwrap();
        assert_eq!(RefsStamp::look(dir.path()), None);
        assert_eq!(RefsStamp::look(elsewhere.path()), None);
    }
}
