//! The files of a folder that git would take, each with the digest of its content: what a run was about.
//!
//! Ignored files do not count, nor does anything below `.git`. Links count by where they lead; nothing is followed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;

use ignore::{WalkBuilder, WalkState};
use sha2::{Digest as _, Sha256};

use crate::call::Call;
use crate::error::{Error, Result};
use crate::show::show_path;

/// A SHA-256.
pub type FileDigest = [u8; 32];

/// The files of a tree by their path from its root, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    pub files: BTreeMap<String, FileDigest>,
}

impl Tree {
    /// Reads all files below a root but those that are not part of what is meant.
    pub fn read(
        root: &Path,
        call: &Call<'_>,
        threads: usize,
        is_part: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Self> {
        let files = Mutex::new(BTreeMap::new());
        let fault: Mutex<Option<Error>> = Mutex::new(None);
        let walker = WalkBuilder::new(root)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .follow_links(false)
            .threads(threads.max(1))
            .filter_entry(|entry| entry.file_name() != ".git")
            .build_parallel();
        walker.run(|| {
            Box::new(|entry| {
                if let Err(why) = call.check() {
                    set(&fault, why.into());
                    return WalkState::Quit;
                }
                // A file that vanished or cannot be listed is not part of the tree; its absence shows.
                let Ok(entry) = entry else { return WalkState::Continue };
                if entry.file_type().is_none_or(|kind| kind.is_dir()) {
                    return WalkState::Continue;
                }
                let Ok(path) = entry.path().strip_prefix(root) else { return WalkState::Continue };
                let name = show_path(path);
                if !is_part(&name) {
                    return WalkState::Continue;
                }
                match digest_of(entry.path()) {
                    Ok(Some(digest)) => {
                        files.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(name, digest);
                        WalkState::Continue
                    }
                    Ok(None) => WalkState::Continue,
                    Err(error) => {
                        set(&fault, Error::io("read", &name, error));
                        WalkState::Quit
                    }
                }
            })
        });
        match fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(Self { files: files.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) }),
        }
    }

    /// One digest for all of it.
    pub fn digest(&self) -> FileDigest {
        let mut hasher = Sha256::new();
        for (path, digest) in &self.files {
            hasher.update((path.len() as u64).to_be_bytes());
            hasher.update(path.as_bytes());
            hasher.update(digest);
        }
        hasher.finalize().into()
    }

    /// The paths that came, went or changed.
    pub fn differences<'t>(&'t self, other: &'t Self) -> Vec<&'t str> {
        let gone = self.files.iter().filter(|(path, digest)| other.files.get(*path) != Some(digest));
        let new = other.files.keys().filter(|path| !self.files.contains_key(*path));
        let mut paths: Vec<&str> =
            gone.map(|(path, _)| path.as_str()).chain(new.map(String::as_str)).collect();
        paths.sort_unstable();
        paths
    }
}

/// The digest of a file's kind, mode and content; `None` for what has none.
fn digest_of(path: &Path) -> std::io::Result<Option<FileDigest>> {
    let gone = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(None),
        _ => Err(error),
    };
    let data = match fs_err::symlink_metadata(path) {
        Ok(data) => data,
        Err(error) => return gone(error),
    };
    let mut hasher = Sha256::new();
    if data.is_symlink() {
        hasher.update(b"link\0");
        hasher.update(fs_err::read_link(path)?.as_os_str().as_bytes());
    } else if data.is_file() {
        hasher.update(if data.permissions().mode() & 0o100 == 0 { b"file\0" } else { b"exec\0" });
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return gone(error),
        };
        let mut chunk = vec![0; 64 * 1024];
        loop {
            let read = file.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            hasher.update(&chunk[..read]);
        }
    } else {
        return Ok(None);
    }
    Ok(Some(hasher.finalize().into()))
}

fn set(fault: &Mutex<Option<Error>>, error: Error) {
    fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path) -> Tree {
        Tree::read(root, &Call::unbounded(), 2, &|path| path != "skipped.txt").unwrap()
    }

    #[test]
    fn content_names_modes_and_links_count_and_ignored_files_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        };
        put(".gitignore", "/target/\n");
        put("target/junit.xml", "1");
        put("src/a.rs", "one");
        put(".git/HEAD", "ref");
        put("skipped.txt", "x");
        std::os::unix::fs::symlink("src/a.rs", dir.path().join("link")).unwrap();
        let before = read(dir.path());
        assert_eq!(before.files.keys().collect::<Vec<_>>(), [".gitignore", "link", "src/a.rs"]);
        put("target/junit.xml", "2");
        put("skipped.txt", "y");
        assert_eq!(read(dir.path()).digest(), before.digest());
        put("src/a.rs", "two");
        put("src/b.rs", "");
        let after = read(dir.path());
        assert_ne!(after.digest(), before.digest());
        assert_eq!(before.differences(&after), ["src/a.rs", "src/b.rs"]);
        assert_eq!(after.differences(&after), [""; 0]);
    }
}
