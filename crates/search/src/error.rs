//! What can go wrong with an index. A damaged one is not among it: that is made anew.

use std::path::PathBuf;
use std::{fmt, io};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::model::ModelError;

/// Why the index could not do what was asked. Whatever was there before still serves.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("there is no search index: {}", folder.display())]
    Missing { folder: PathBuf },
    #[error("another process is writing the search index: {}", folder.display())]
    Busy { folder: PathBuf },
    #[error("cannot use the search index: {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot use the word index: {}", path.display())]
    Words {
        path: PathBuf,
        #[source]
        source: WordsError,
    },
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl SearchError {
    /// Stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "index-missing",
            Self::Busy { .. } => "index-busy",
            Self::Io { .. } | Self::Words { .. } => "index-failed",
            Self::Model(_) => "model-failed",
        }
    }

    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "run `hewto index build`",
            Self::Busy { .. } => "try again when the other process has finished",
            Self::Io { .. } | Self::Words { .. } => {
                "look at free space and permissions, then run `hewto index build`"
            }
            Self::Model(error) => error.hint(),
        }
    }
}

/// What the library of the word index has to say of a failure. Its own messages show values as Rust writes them down.
#[derive(Debug)]
pub struct WordsError(Box<TantivyError>);

impl WordsError {
    /// What the operating system refused, where that is what went wrong.
    fn refusal(&self) -> Option<&io::Error> {
        match &*self.0 {
            TantivyError::IoError(error)
            | TantivyError::LockFailure(LockError::IoError(error), _)
            | TantivyError::OpenDirectoryError(
                OpenDirectoryError::IoError { io_error: error, .. }
                | OpenDirectoryError::FailedToCreateTempDir(error),
            )
            | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. })
            | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: error, .. }) => Some(error),
            _ => None,
        }
    }
}

impl WordsError {
    /// Whether the operating system refused something, so that it tells nothing of the files.
    pub(crate) fn is_refused(&self) -> bool {
        reason(&self.refusal().map_or_else(|| self.0.to_string(), ToString::to_string)).is_some()
    }
}

impl fmt::Display for WordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = match (&*self.0, self.refusal()) {
            (_, Some(error)) => error.to_string(),
            (TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)), _) => {
                format!("`{}` is missing", path.display())
            }
            (TantivyError::OpenDirectoryError(error), _) => error.to_string(),
            (TantivyError::OpenWriteError(error), _) => error.to_string(),
            (TantivyError::LockFailure(error, _), _) => error.to_string(),
            // Only the thread knew why.
            (TantivyError::ErrorInThread(_), _) => {
                "whoever writes it ended early, most likely because the disk refused".to_owned()
            }
            (other, _) => other.to_string(),
        };
        f.write_str(&reason(&told).unwrap_or(told))
    }
}

impl std::error::Error for WordsError {}

impl From<TantivyError> for WordsError {
    fn from(error: TantivyError) -> Self {
        Self(Box::new(error))
    }
}

/// What the operating system says in a message, as a part of a sentence: "no space left on device". The error itself is not at hand:
/// the library, and what it makes files with, keep the text.
fn reason(message: &str) -> Option<String> {
    let (_, rest) = message.rsplit_once(OS_ERROR)?;
    let code = rest.split_once(')')?.0.parse().ok()?;
    let text = io::Error::from_raw_os_error(code).to_string();
    let mut letters = text.rsplit_once(OS_ERROR)?.0.chars();
    Some(letters.next()?.to_lowercase().chain(letters).collect())
}

/// What stands before the number that the system has for an error.
const OS_ERROR: &str = " (os error ";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_the_operating_system_refused_is_told_in_its_words() {
        let full = || Arc::new(io::Error::from_raw_os_error(28));
        let path = PathBuf::from("words-1/store");
        // As files are made: the error within says nothing of its cause but in its text.
        let named = io::Error::other("Permission denied (os error 13) at path \"words-1/.tmp\"");
        let write = OpenWriteError::IoError { io_error: Arc::new(named), filepath: path.clone() };
        for (error, told) in [
            (TantivyError::IoError(full()), "no space left on device"),
            (TantivyError::LockFailure(LockError::IoError(full()), None), "no space left on device"),
            (TantivyError::OpenWriteError(write), "permission denied"),
            (TantivyError::InternalError(full().to_string()), "no space left on device"),
            (
                TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)),
                "`words-1/store` is missing",
            ),
            (TantivyError::IoError(Arc::new(io::Error::other("it broke"))), "it broke"),
        ] {
            assert_eq!(WordsError::from(error).to_string(), told);
        }
    }
}
