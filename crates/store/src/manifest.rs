//! What a folder holds, all of it: by this a commit knows whether somebody changed anything in it.

use std::fmt::Write as _;
use std::io;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType};

use crate::beneath::{Root, is_missing};
use crate::hash::ContentHash;
use crate::path::RelPath;
use crate::tree;

/// How deep folders inside an artifact may be.
const MAX_DEPTH: usize = 32;

/// Everything in a folder, links as links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Paths below the folder, sorted; folders are left out.
    pub files: Vec<String>,
    pub hash: ContentHash,
}

/// Reads a folder whole; `None` when there is none.
pub(crate) fn read(root: &Root, folder: &RelPath) -> io::Result<Option<Manifest>> {
    match root.look(folder)? {
        Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {}
        _ => return Ok(None),
    }
    let mut lines = Vec::new();
    match collect(root, folder, "", MAX_DEPTH, &mut lines) {
        Ok(()) => {}
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    lines.sort();
    let mut text = String::new();
    for (path, what) in &lines {
        let _ = writeln!(text, "{path}\0{what}");
    }
    let files = lines.into_iter().filter(|(_, what)| what != FOLDER).map(|(path, _)| path).collect();
    Ok(Some(Manifest { files, hash: ContentHash::of(text.as_bytes()) }))
}

const FOLDER: &str = "folder";

fn collect(
    root: &Root,
    folder: &RelPath,
    below: &str,
    depth: usize,
    lines: &mut Vec<(String, String)>,
) -> io::Result<()> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
    for (name, kind) in tree::entries(root, Some(folder)).map_err(io::Error::other)? {
        let path = format!("{below}{name}");
        let inner = folder.join(&name).map_err(|error| refused(&error.to_string()))?;
        let what = match kind {
            FileType::RegularFile => ContentHash::of(&root.read(inner.as_str())?.0).to_string(),
            FileType::Symlink => {
                let open = root.open_dir(Some(folder))?;
                let target = rustix::fs::readlinkat(open.as_fd(), &name, Vec::new())?;
                format!("link {}", ContentHash::of(target.as_bytes()))
            }
            FileType::Directory if name.eq_ignore_ascii_case(".git") => {
                return Err(refused("there is a git repository inside"));
            }
            FileType::Directory if depth == 0 => return Err(refused("its folders are too deep")),
            FileType::Directory => {
                collect(root, &inner, &format!("{path}/"), depth - 1, lines)?;
                FOLDER.to_owned()
            }
            _ => return Err(refused("there is something inside that is neither file nor folder")),
        };
        lines.push((path, what));
    }
    Ok(())
}

/// Removes a folder and everything in it, without following a link.
pub(crate) fn remove(parent: std::os::fd::BorrowedFd<'_>, name: &str) -> io::Result<()> {
    let flags = rustix::fs::OFlags::RDONLY
        | rustix::fs::OFlags::DIRECTORY
        | rustix::fs::OFlags::NOFOLLOW
        | rustix::fs::OFlags::CLOEXEC;
    let folder = match rustix::fs::openat(parent, name, flags, rustix::fs::Mode::empty()) {
        Ok(folder) => folder,
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().to_str()
            && !matches!(name, "." | "..")
        {
            names.push(name.to_owned());
        }
    }
    for inner in names {
        let stat = rustix::fs::statat(&folder, inner.as_str(), AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            remove(folder.as_fd(), &inner)?;
        } else {
            crate::disk::remove_file(folder.as_fd(), &inner)?;
        }
    }
    crate::disk::remove_dir(parent, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_changes_with_everything_inside() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
        let folder = RelPath::known("a");
        assert_eq!(read(&root, &folder).unwrap(), None);
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::write(dir.path().join("a/b/x.md"), "1").unwrap();
        std::os::unix::fs::symlink("b", dir.path().join("a/link")).unwrap();
        let mut seen = vec![read(&root, &folder).unwrap().unwrap()];
        assert_eq!(seen[0].files, ["b/x.md", "link"]);
        fs_err::write(dir.path().join("a/b/x.md"), "2").unwrap();
        seen.push(read(&root, &folder).unwrap().unwrap());
        fs_err::create_dir(dir.path().join("a/empty")).unwrap();
        seen.push(read(&root, &folder).unwrap().unwrap());
        for (index, one) in seen.iter().enumerate() {
            assert!(seen[index + 1..].iter().all(|other| other.hash != one.hash));
        }
        fs_err::create_dir(dir.path().join("a/.git")).unwrap();
        assert!(read(&root, &folder).is_err());
    }

    #[test]
    fn a_folder_is_removed_and_what_its_links_point_to_stays() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(&fs_err::canonicalize(dir.path()).unwrap()).unwrap();
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::create_dir_all(dir.path().join("kept")).unwrap();
        fs_err::write(dir.path().join("kept/x"), "x").unwrap();
        std::os::unix::fs::symlink("../kept", dir.path().join("a/link")).unwrap();
        remove(root.fd(), "a").unwrap();
        remove(root.fd(), "a").unwrap();
        assert!(!dir.path().join("a").exists());
        assert!(dir.path().join("kept/x").exists());
    }
}
