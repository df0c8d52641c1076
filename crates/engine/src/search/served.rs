//! What answers a question, and how the mode of an answer says why it is not the index as it should be.

use std::sync::Arc;

use hewto_search::Index;

/// What there is to answer a question with.
#[derive(Debug)]
pub(super) enum Served {
    /// The index; and what keeps it from being as it should, for the mode of the answer.
    Index { index: Arc<Index>, trouble: Option<String> },
    /// The documents themselves, by their words; how the answer says why.
    Words { mode: String },
}

/// How answers say that there is no index yet.
pub(super) const BUILDING: &str = "lexical (the index is being built)";
pub(super) const NO_INDEX: &str =
    "lexical (no index yet: `hewto index build` makes one that knows meaning too)";

/// The same where none on the disk is to be asked.
pub(super) const NO_INDEX_IN_MEMORY: &str =
    "lexical (too many documents to index them for one question: without `--no-index` there is meaning too)";

/// How answers say that the index is not what the files say now.
pub(super) fn not_current(reason: &str) -> String {
    format!("not current: {reason}")
}

pub(super) fn words(mode: &str) -> Served {
    Served::Words { mode: mode.to_owned() }
}
