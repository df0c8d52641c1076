//! The one shape of a failed file operation: what was tried, on which path, and what the system said.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::path::RelPath;

/// A file operation that failed.
#[derive(Debug, Error)]
#[error("cannot {doing}: `{path}`")]
pub struct FileError {
    /// What was tried, as in "cannot …".
    pub doing: &'static str,
    /// Relative to the workspace root where it lies inside.
    pub path: String,
    pub source: io::Error,
}

impl FileError {
    pub(crate) fn at(doing: &'static str, path: &RelPath) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_string();
        move |source| Self { doing, path, source }
    }

    pub(crate) fn at_path(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self { doing, path, source }
    }

    /// The same failure for another call that it befell as well.
    pub(crate) fn told_again(&self) -> Self {
        let source = match self.source.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(self.source.kind(), self.source.to_string()),
        };
        Self { doing: self.doing, path: self.path.clone(), source }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self.source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only: mount it for writing and try again",
            io::ErrorKind::FileTooLarge => "split it into several documents",
            io::ErrorKind::PermissionDenied => "give this user the right to write there and try again",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "the disk is full: free some space and try again"
            }
            _ if leads_out(&self.source) => {
                "hewto does not follow links out of the workspace: replace the link"
            }
            _ if is_linked(&self.source) => "replace the link with a folder of its own",
            _ => "look at the path and the disk, then try again; nothing was lost",
        }
    }

    /// Whether a link on the way leads out of the workspace.
    pub fn leads_out(&self) -> bool {
        leads_out(&self.source)
    }
}

/// The way to a file leaves the workspace.
#[derive(Debug, Clone, Copy, Error)]
#[error("a link on the way leads out of the workspace")]
pub(crate) struct LeadsOut;

impl From<LeadsOut> for io::Error {
    fn from(error: LeadsOut) -> Self {
        Self::other(error)
    }
}

/// A link stands where hewto keeps its own files.
#[derive(Debug, Clone, Copy, Error)]
#[error("a link is where hewto keeps its own files")]
pub(crate) struct Linked;

impl From<Linked> for io::Error {
    fn from(error: Linked) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

pub(crate) fn is_linked(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Linked>)
}

pub(crate) fn leads_out(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<LeadsOut>)
}
