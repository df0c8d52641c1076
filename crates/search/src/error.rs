//! What can go wrong with an index. A damaged one is not among it: that is made anew.

use std::io;
use std::path::PathBuf;

use tantivy::TantivyError;

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
        source: Box<TantivyError>,
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
