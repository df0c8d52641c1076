//! Files that leave the workspace: written below a folder of somebody's choice, and over nothing that says something else.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use thiserror::Error;

use crate::beneath::{Root, is_missing};
use crate::disk::{self, Onto};
use crate::error::FileError;
use crate::path::{NotInside, RelPath};

/// Why nothing was written, or not all of it.
#[derive(Debug, Error)]
pub enum OutboxError {
    #[error("already there, with another text: `{0}`")]
    Exists(String),
    #[error(transparent)]
    Outside(#[from] NotInside),
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes files below a folder, which is made if need be. Nothing is written when one of them is there with another
/// text, unless `replace` says so.
pub fn write_out(folder: &Path, files: &[(String, &str)], replace: bool) -> Result<(), OutboxError> {
    let mut placed = Vec::with_capacity(files.len());
    for (name, text) in files {
        placed.push((RelPath::parse(name)?, *text));
    }
    disk::create_root(folder).map_err(FileError::at_path("create", folder))?;
    let root = Root::open_tree(folder).map_err(FileError::at_path("open", folder))?;
    for (path, text) in &placed {
        match root.read(path.as_str()) {
            Ok((bytes, _)) if bytes == text.as_bytes() || replace => {}
            Ok(_) => return Err(OutboxError::Exists(path.to_string())),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(FileError::at("read", path)(error).into()),
        }
        root.admits_writes(path).map_err(FileError::at("write", path))?;
    }
    for (path, text) in &placed {
        put(&root, path, text.as_bytes()).map_err(FileError::at("write", path))?;
    }
    Ok(())
}

fn put(root: &Root, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) => root.make_dirs(&parent)?,
        None => root.open_dir_to_write(None)?,
    };
    let name = path.file_name();
    let new = format!(".{name}.new");
    disk::remove_file(folder.as_fd(), new.as_str())?;
    let file = disk::create_file(folder.as_fd(), new.as_str())?;
    disk::write(&file, &new, bytes)?;
    disk::rename((folder.as_fd(), &new), (folder.as_fd(), name), Onto::Anything)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_with_another_text_is_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("new/out");
        let path = str::to_owned;
        write_out(&out, &[(path("a/b.md"), "b")], false).unwrap();
        write_out(&out, &[(path("a/b.md"), "b"), (path("c.md"), "c")], false).unwrap();
        let refused = write_out(&out, &[(path("d.md"), "d"), (path("c.md"), "other")], false).unwrap_err();
        assert!(matches!(refused, OutboxError::Exists(path) if path == "c.md"));
        assert!(!out.join("d.md").exists());
        write_out(&out, &[(path("c.md"), "other")], true).unwrap();
        assert_eq!(fs_err::read_to_string(out.join("c.md")).unwrap(), "other");
    }

    #[test]
    fn a_link_on_the_way_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        fs_err::create_dir_all(&out).unwrap();
        fs_err::create_dir_all(dir.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("../elsewhere", out.join("specs")).unwrap();
        let files = [("specs/x.md".to_owned(), "x")];
        assert!(write_out(&out, &files, true).is_err());
        assert!(!dir.path().join("elsewhere/x.md").exists());
    }
}
