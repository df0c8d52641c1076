//! What stands in the folders of a root: names, never contents.

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType};

use crate::beneath::{Root, is_missing};
use crate::context::Context;
use crate::doc::ReadError;
use crate::error::FileError;
use crate::path::RelPath;
use crate::stamp::Stamp;

/// How much of a tree is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey<'a> {
    /// Files with more segments in their path are left out.
    pub depth: usize,
    pub files: usize,
    /// Names of folders that are not looked into; hidden names never are.
    pub skipped: &'a [&'a str],
}

/// The files of a tree, folder by folder from the top, in the order of their names. The same tree gives the same
/// list on every machine.
pub(crate) fn survey(context: &Context, root: &Root, survey: Survey<'_>) -> Result<Vec<String>, ReadError> {
    let mut found = Vec::new();
    let mut waiting: VecDeque<Option<RelPath>> = VecDeque::from([None]);
    while let Some(folder) = waiting.pop_front() {
        context.check()?;
        let mut names = match entries(root, folder.as_ref()) {
            Ok(names) => names,
            // A folder that may not be read says nothing about the others.
            Err(ReadError::File(_)) if folder.is_some() => continue,
            Err(error) => return Err(error),
        };
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let level = folder.as_ref().map_or(1, |folder| folder.as_str().split('/').count() + 1);
        for (name, kind) in names {
            if name.starts_with('.') {
                continue;
            }
            let path = match &folder {
                Some(folder) => folder.join(&name),
                None => RelPath::parse(&name),
            };
            let Ok(path) = path else { continue };
            match kind {
                FileType::RegularFile => found.push(path.as_str().to_owned()),
                FileType::Directory if level < survey.depth && !survey.skipped.contains(&name.as_str()) => {
                    waiting.push_back(Some(path));
                }
                _ => {}
            }
            if found.len() == survey.files {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// The names of the files in a folder, sorted; none when there is no such folder.
pub(crate) fn file_names(root: &Root, folder: &RelPath) -> Result<Vec<String>, ReadError> {
    Ok(names(root, folder)?.0)
}

/// The names in a folder, sorted: those of its files, and those of folders, links and whatever else stands there.
pub(crate) fn names(root: &Root, folder: &RelPath) -> Result<(Vec<String>, Vec<String>), ReadError> {
    let mut all = entries(root, Some(folder))?;
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let (files, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, kind)| *kind == FileType::RegularFile);
    let names = |list: Vec<(String, FileType)>| list.into_iter().map(|(name, _)| name).collect();
    Ok((names(files), names(others)))
}

/// Every file below a folder, sorted; links are left out, whatever they lead to.
pub(crate) fn all_files(context: &Context, root: &Root, folder: &RelPath) -> Result<Vec<RelPath>, ReadError> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.clone()];
    while let Some(folder) = waiting.pop() {
        context.check()?;
        for (name, kind) in entries(root, Some(&folder))? {
            let Ok(path) = folder.join(&name) else { continue };
            match kind {
                FileType::RegularFile => found.push(path),
                FileType::Directory => waiting.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The files of a folder with their stamps, sorted by name.
pub(crate) fn stamped_files(root: &Root, folder: &RelPath) -> Result<Vec<(String, Stamp)>, ReadError> {
    let mut stamped = Vec::new();
    for name in file_names(root, folder)? {
        let Ok(path) = folder.join(&name) else { continue };
        let stat = root.look(&path).map_err(FileError::at("read", &path))?;
        stamped.extend(stat.map(|stat| (name, Stamp::of(&stat))));
    }
    Ok(stamped)
}

/// What stands in a folder, links as links; a folder that is not there is empty, a name that is no text is left out.
pub(crate) fn entries(root: &Root, folder: Option<&RelPath>) -> Result<Vec<(String, FileType)>, ReadError> {
    let name = folder.map_or(".", RelPath::as_str);
    let failed = || FileError::at_path("read", Path::new(name));
    let mut found = Vec::new();
    let fd = match root.open_dir(folder) {
        Ok(fd) => fd,
        Err(error) if is_missing(&error) => {
            if let Some(overlay) = root.overlay() {
                overlay.correct(name, &mut found);
            }
            return Ok(found);
        }
        Err(error) => return Err(failed()(error).into()),
    };
    for entry in Dir::read_from(fd.as_fd()).map_err(|error| failed()(error.into()))? {
        let entry = entry.map_err(|error| failed()(error.into()))?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match rustix::fs::statat(&fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        found.push((name.to_owned(), kind));
    }
    if let Some(overlay) = root.overlay() {
        overlay.correct(name, &mut found);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
        }
        let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
        (dir, root)
    }

    #[test]
    fn a_tree_is_listed_from_the_top_and_the_same_every_time() {
        let (dir, root) = tree(&[
            "z.md",
            "b/2.rs",
            "b/1.rs",
            "a/deep/er/x.rs",
            ".env",
            ".git/HEAD",
            "node_modules/m/i.js",
            "b/.h/x",
        ]);
        std::os::unix::fs::symlink("b", dir.path().join("link")).unwrap();
        let look = |depth, files| {
            survey(&Context::background(), &root, Survey { depth, files, skipped: &["node_modules"] })
                .unwrap()
        };
        assert_eq!(look(9, 99), ["z.md", "b/1.rs", "b/2.rs", "a/deep/er/x.rs"]);
        assert_eq!(look(3, 99), ["z.md", "b/1.rs", "b/2.rs"]);
        assert_eq!(look(9, 2), ["z.md", "b/1.rs"]);
    }

    #[test]
    fn the_files_of_a_folder_are_named_in_order() {
        let (_dir, root) = tree(&["adr/b.md", "adr/a.md", "adr/sub/c.md"]);
        let names = |folder: &str| file_names(&root, &RelPath::parse(folder).unwrap()).unwrap();
        assert_eq!(names("adr"), ["a.md", "b.md"]);
        assert!(names("nowhere").is_empty());
    }
}
