//! One document, read fresh from disk.

use std::io;
use std::str::Utf8Error;

use hewto_core::interrupt::Interrupted;
use thiserror::Error;

use crate::beneath::{Root, is_missing};
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::layout::{DocFolder, DocKey};
use crate::lock::LockError;
use crate::path::RelPath;

/// A document as it stands on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    pub text: String,
    /// What a commit expects to find when it replaces this text.
    pub hash: ContentHash,
    pub path: RelPath,
}

impl Doc {
    /// The folder it stands in; `None` when that is the root itself.
    pub fn folder(&self) -> Option<DocFolder> {
        self.path.parent().map(DocFolder::from)
    }

    /// What it is asked for by, and written as.
    pub fn key(&self) -> DocKey {
        DocKey::File(self.path.clone())
    }
}

/// Why something could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("not UTF-8 from byte {offset} on: `{path}`")]
    NotUtf8 { path: RelPath, offset: usize },
    /// A write is under way and did not end in time.
    #[error(transparent)]
    Locked(LockError),
}

impl ReadError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Interrupted(_) => "try again with more time",
            Self::File(error) => error.hint(),
            Self::NotUtf8 { .. } => "save the file as UTF-8",
            Self::Locked(error) => error.hint(),
        }
    }
}

/// Reads a document; `None` when it is not there.
pub(crate) fn read(root: &Root, path: RelPath) -> Result<Option<Doc>, ReadError> {
    let Some(bytes) = read_bytes(root, &path)? else { return Ok(None) };
    let hash = ContentHash::of(&bytes);
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(Doc { text, hash, path })),
        Err(error) => Err(ReadError::NotUtf8 { path, offset: valid_up_to(error.utf8_error()) }),
    }
}

/// A document that is larger is no document: it is listed, and not read.
pub(crate) const MAX_BYTES: i64 = 16 << 20;

/// What is said of it.
pub(crate) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 16 MiB and is not read")
}

/// No file of hewto's own is larger, so whatever is was put there by somebody else.
pub(crate) const MAX_OWN_BYTES: i64 = 64 << 20;

pub(crate) fn too_large_to_be_own() -> io::Error {
    io::Error::other("it is larger than 64 MiB, and hewto writes no such file")
}

/// The bytes of a document that may be no text.
pub(crate) fn read_bytes(root: &Root, path: &RelPath) -> Result<Option<Vec<u8>>, ReadError> {
    match root.read_within(path.as_str(), MAX_BYTES) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(FileError::at("read", path)(error).into()),
    }
}

fn valid_up_to(error: Utf8Error) -> usize {
    error.valid_up_to()
}
