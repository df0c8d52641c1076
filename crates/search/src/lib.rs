//! Finds requirements, changes, decisions and plans by their words and by their meaning.
//!
//! Documents come in, results go out; everything in between is derived from them and may be deleted at any time.
//! The index is a folder that the caller names. Nothing here knows where documents live, waits for a network,
//! reads the environment or prints. The face is [`Index`]; a query is answered by two rankers, words
//! (`lexical`) and meaning (`vectors`), joined in `rank`.

mod cache;
mod common_words;
mod document;
mod error;
mod index;
mod language;
mod lexical;
mod model;
mod passage;
mod rank;
mod reading;
mod rows;
mod scan;
mod sense;
mod snippet;
mod tokens;
mod vectors;
mod wordpiece;
mod words;

pub use common_words::CommonWords;
pub use document::{Document, DocumentKey, Entry, Fingerprint, Kind, Scenario};
pub use error::SearchError;
pub use index::{
    Answer, Hit, Index, IndexPlace, Leftover, Note, Progress, Query, Question, Stale, Status, Weighed,
    best_of,
};
pub use model::{Embedder, Embedding, Identity, Model, ModelError, bundled_model};
pub use rank::Ranker;
pub use scan::Scan;
pub use snippet::Snippet;
pub use tokens::Tokens;
