//! Finding by words and by meaning: what is searched, how the index is kept current, and what is asked of it.
//!
//! The index is a cache that `hewto-search` keeps in a folder of the workspace. Every question first brings it up to date
//! with the files, whoever changed them (`finder`, `follow`); where that takes long, words serve meanwhile. A question
//! never fails because there is no index, or because it cannot be written.

mod care;
mod context;
mod documents;
mod finder;
mod follow;
mod gather;
mod maintain;
mod noted;
mod pack;
mod query;
mod served;
mod show;
mod words;

pub use care::{IndexCare, ModelChoice};
pub use context::{ContextRequest, context_for};
pub use hewto_search::{Kind as EntryKind, Ranker};
pub use maintain::{build, clear, status};
pub use query::{FindRequest, SearchRequest, find, search};

pub(crate) use finder::Finder;

use hewto_search::SearchError;

use crate::error::{Action, Error, Hint, Key, Kind};

impl Error {
    /// Whether it is the index that cannot be used, rather than the question or the files.
    fn is_about_the_index(&self) -> bool {
        matches!(self.key, Key::IndexMissing | Key::IndexBusy | Key::IndexFailed)
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        let (kind, key) = match &error {
            SearchError::Missing { .. } => (Kind::Refused, Key::IndexMissing),
            SearchError::Busy { .. } => (Kind::Machine, Key::IndexBusy),
            SearchError::Io { .. } | SearchError::Words { .. } => (Kind::Machine, Key::IndexFailed),
            SearchError::Model(_) => (Kind::Usage, Key::ModelFailed),
        };
        let hint = match &error {
            SearchError::Missing { .. } => {
                Hint::from(Action::BuildIndex).text("; everything else works without one")
            }
            other => other.hint().into(),
        };
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        let made = Self::new(kind, key, error.to_string()).hint(hint);
        match cause {
            Some(cause) => made.caused_by(cause),
            None => made,
        }
    }
}
