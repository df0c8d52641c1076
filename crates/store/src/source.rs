//! A folder that belongs to another tool: what stands in it and what its files say. Nothing is written.
//!
//! Links are never followed: one that leads out of the folder would bring in what the folder does not hold.

use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::beneath::Root;
use crate::context::Context;
use crate::doc::{self, ReadError};
use crate::error::FileError;
use crate::path::RelPath;
use crate::tree::entries;

/// An open folder.
#[derive(Debug)]
pub struct SourceTree {
    root: Root,
}

/// Something in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    File(RelPath),
    /// A symbolic link, to wherever.
    Link(RelPath),
    /// A folder that cannot be read, and why.
    Closed(RelPath, String),
}

impl SourceTree {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let real = fs_err::canonicalize(path).map_err(FileError::at_path("read", path))?;
        let root = Root::open(&real).map_err(FileError::at_path("read", path))?;
        Ok(Self { root })
    }

    /// Its real path.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where a path in it leads.
    pub fn under(&self, path: &RelPath) -> PathBuf {
        path.under(self.root.path())
    }

    /// Whether a folder stands there; one behind a link does not count.
    pub fn is_folder(&self, path: &RelPath) -> bool {
        self.kind(path) == Some(FileType::Directory)
    }

    pub fn is_file(&self, path: &RelPath) -> bool {
        self.kind(path) == Some(FileType::RegularFile)
    }

    pub fn is_link(&self, path: &RelPath) -> bool {
        self.kind(path) == Some(FileType::Symlink)
    }

    fn kind(&self, path: &RelPath) -> Option<FileType> {
        let metadata = fs_err::symlink_metadata(self.under(path)).ok()?;
        let kind = metadata.file_type();
        Some(match () {
            () if kind.is_symlink() => FileType::Symlink,
            () if kind.is_dir() => FileType::Directory,
            () if kind.is_file() => FileType::RegularFile,
            () => FileType::Unknown,
        })
    }

    /// Everything below a folder (the whole tree without one), sorted by path. Folders of these names are not looked into.
    pub fn walk(
        &self,
        context: &Context,
        folder: Option<&RelPath>,
        skipped: &[&str],
    ) -> Result<Vec<Found>, ReadError> {
        let mut found = Vec::new();
        let mut waiting = vec![folder.cloned()];
        while let Some(folder) = waiting.pop() {
            context.check()?;
            let names = match entries(&self.root, folder.as_ref()) {
                Ok(names) => names,
                Err(ReadError::File(error)) => {
                    if let Some(folder) = folder {
                        found.push(Found::Closed(folder, error.to_string()));
                        continue;
                    }
                    return Err(error.into());
                }
                Err(error) => return Err(error),
            };
            for (name, kind) in names {
                let path = match &folder {
                    Some(folder) => folder.join(&name),
                    None => RelPath::parse(&name),
                };
                let Ok(path) = path else { continue };
                match kind {
                    FileType::RegularFile => found.push(Found::File(path)),
                    FileType::Symlink => found.push(Found::Link(path)),
                    FileType::Directory if !skipped.contains(&name.as_str()) => waiting.push(Some(path)),
                    _ => {}
                }
            }
        }
        found.sort_by(|a, b| a.path().cmp(b.path()));
        Ok(found)
    }

    /// The bytes of a file; `None` when it is not there.
    pub fn bytes(&self, path: &RelPath) -> Result<Option<Vec<u8>>, ReadError> {
        doc::read_bytes(&self.root, path)
    }
}

impl Found {
    pub fn path(&self) -> &RelPath {
        match self {
            Self::File(path) | Self::Link(path) | Self::Closed(path, _) => path,
        }
    }
}
