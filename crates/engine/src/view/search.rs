//! Views of search results.

use schemars::JsonSchema;
use serde::Serialize;

/// Results, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchView {
    pub results: Vec<SearchHit>,
    /// How the results were ranked
    pub mode: String,
    pub total: usize,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    pub spec_id: String,
    /// Null for a hit in a spec's title or purpose
    pub requirement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub scenario: Option<String>,
    /// Similarity from 0 to 1
    pub score: f64,
    pub snippet: String,
}
