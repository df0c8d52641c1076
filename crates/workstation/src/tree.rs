//! The files of a folder that git would take, each with the digest of its content: what a run was about.
//!
//! Ignored files do not count, nor does anything below `.git`. Links count by where they lead; nothing is followed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder, WalkState};
use sha2::{Digest as _, Sha256};

use crate::call::Call;
use crate::error::{Error, Result};

/// A SHA-256.
pub type FileDigest = [u8; 32];

/// The files of a tree by their path from its root, with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    pub files: BTreeMap<String, FileDigest>,
}

/// A walk over the files that git would take. Ignored is what the repository's own `.gitignore` files say and, for files that
/// are in no commit, `.git/info/exclude`; nothing that other programs or folders above the repository say.
///
/// Whoever walks looks at each folder with [`unfit_rules`] before it is entered: the walk would wait for a pipe in the place of a
/// `.gitignore`, and read the largest file whole.
pub fn walker(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .ignore(false)
        .parents(!root.join(".git").exists())
        .follow_links(false);
    builder
}

/// A file of rules larger than this was not written by hand.
const MAX_RULES: u64 = 4 << 20;

/// What a folder has in the place of its rules and cannot be read as such: no file, or one that is too large.
pub fn unfit_rules(folder: &Path) -> Option<PathBuf> {
    let is_unfit = |file: &PathBuf| {
        let found = std::fs::metadata(file);
        found.is_ok_and(|found| !found.is_dir() && (!found.is_file() || found.len() > MAX_RULES))
    };
    let names = [".gitignore", ".ignore", ".git/info/exclude", ".git"];
    names.map(|name| folder.join(name)).into_iter().find(is_unfit)
}

/// The same for a folder and all above it, which rules come from too.
pub fn unfit_rules_at(root: &Path) -> Option<PathBuf> {
    root.ancestors().find_map(unfit_rules)
}

/// Walks with the threads of the builder or, where none can be had, with this one.
pub fn walk_all<'v>(
    builder: &WalkBuilder,
    mut visitor: impl FnMut() -> Box<
        dyn FnMut(std::result::Result<DirEntry, ignore::Error>) -> WalkState + Send + 'v,
    >,
) {
    let started = std::thread::Builder::new().spawn(|| ());
    if started.is_ok_and(|thread| thread.join().is_ok()) {
        return builder.build_parallel().run(visitor);
    }
    let mut visit = visitor();
    for entry in builder.build() {
        if matches!(visit(entry), WalkState::Quit) {
            break;
        }
    }
}

impl Tree {
    /// The tree of these files; those that are not there are no part of it.
    pub fn of<'p>(root: &Path, paths: impl IntoIterator<Item = &'p String>, call: &Call<'_>) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in paths {
            call.check()?;
            match digest_of(&root.join(path)) {
                Ok(Some(digest)) => {
                    files.insert(path.clone(), digest);
                }
                Ok(None) => {}
                Err(error) => return Err(Error::io("read", path, error)),
            }
        }
        Ok(Self { files })
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

/// The digest of a regular file of this mode with this content.
pub fn digest_of_content(mode: u32, content: &[u8]) -> FileDigest {
    let mut hasher = Sha256::new();
    hasher.update(file_mark(mode));
    hasher.update(content);
    hasher.finalize().into()
}

fn file_mark(mode: u32) -> &'static [u8] {
    if mode & 0o100 == 0 { b"file\0" } else { b"exec\0" }
}

/// The digest of a file's kind, mode and content; `None` for what has none.
pub fn digest_of(path: &Path) -> std::io::Result<Option<FileDigest>> {
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
        hasher.update(file_mark(data.permissions().mode()));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path) -> Tree {
        let found = walker(root).filter_entry(|entry| entry.file_name() != ".git").build();
        let paths: Vec<String> = found
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
                let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
                (is_file && path != "skipped.txt").then_some(path)
            })
            .collect();
        Tree::of(root, &paths, &Call::unbounded()).unwrap()
    }

    #[test]
    fn what_other_programs_and_folders_ignore_counts_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repository");
        for (name, text) in [
            ("../.gitignore", "helper.rs"),
            (".git/HEAD", ""),
            (".ignore", "helper.rs"),
            ("helper.rs", "one"),
        ] {
            let path = root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        assert_eq!(read(&root).files.keys().collect::<Vec<_>>(), [".ignore", "helper.rs"]);
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
        assert_eq!(before.files["src/a.rs"], digest_of_content(0o644, b"one"));
        assert_ne!(before.files["src/a.rs"], digest_of_content(0o755, b"one"));
        put("src/a.rs", "two");
        put("src/b.rs", "");
        let after = read(dir.path());
        assert_ne!(after.digest(), before.digest());
        assert_eq!(before.differences(&after), ["src/a.rs", "src/b.rs"]);
        assert_eq!(after.differences(&after), [""; 0]);
    }
}
