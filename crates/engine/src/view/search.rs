//! Views of search results, of the context of a task, and of the index.

use schemars::JsonSchema;
use serde::Serialize;

use super::proof_run::is_zero;

/// Results, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchView {
    pub results: Vec<SearchHit>,
    /// How sure it is that the first answers, from 0 to 1
    #[serde(serialize_with = "score")]
    pub confidence: f64,
    /// How the results were ranked
    pub mode: String,
    pub total: usize,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    pub spec_id: String,
    /// What was, not what holds
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub archived: bool,
    /// Null for a hit in a spec's title or purpose
    pub requirement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub scenario: Option<String>,
    /// Similarity from 0 to 1
    #[serde(serialize_with = "score")]
    pub score: f64,
    pub snippet: String,
}

/// Results of any kind, best first; archived changes behind what holds now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundView {
    pub results: Vec<FoundHit>,
    /// How sure it is that the first answers, from 0 to 1
    #[serde(serialize_with = "score")]
    pub confidence: f64,
    /// How the results were ranked
    pub mode: String,
    pub total: usize,
    /// Archived changes that are as near as the results and were not asked for
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub archived_left_out: usize,
}

/// One result of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundHit {
    /// `spec`, `requirement`, `change`, `decision` or `plan`
    pub kind: String,
    /// Of a change that was put away: what was, and not what holds
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub archived: bool,
    /// Of the document it stands in
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub spec_id: Option<String>,
    pub title: String,
    /// Null for a hit in the document's own text
    pub requirement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub scenario: Option<String>,
    /// Similarity from 0 to 1
    #[serde(serialize_with = "score")]
    pub score: f64,
    pub snippet: String,
    /// Bytes of the snippet where the query's words stand
    pub highlights: Vec<[usize; 2]>,
}

/// What to read before a task, most useful first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct ContextView {
    pub items: Vec<ContextItem>,
    /// How sure it is that the first bears on it, from 0 to 1
    #[serde(serialize_with = "score")]
    pub confidence: f64,
    /// How the items were ranked; `linked` where only links from files were followed
    pub mode: String,
    /// How many bear on the task: shown, named in `left_out`, and `more`
    pub total: usize,
    /// Handles of those that did not fit, best first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left_out: Vec<String>,
    /// How many more there are, neither shown nor named
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub more: usize,
    /// Which of the files are not there
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub notes: Vec<String>,
}

/// A requirement with its scenarios, a decision, an open change or the names of a spec's requirements.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextItem {
    /// `requirement`, `decision`, `change` or `spec`
    pub kind: String,
    /// `spec://auth#login`, `decision:…` or `change:…`
    pub handle: String,
    pub title: String,
    /// Path relative to the workspace root
    pub file: String,
    /// Similarity from 0 to 1
    #[serde(serialize_with = "score")]
    pub score: f64,
    /// Why it is here
    pub why: String,
    pub text: String,
    /// What of a large change is not in the text, and how to get it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub left_out: Option<String>,
    /// `<ref>: <state>` of each scenario, where proof is asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub states: Vec<String>,
}

/// What is known of the index.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct IndexView {
    pub exists: bool,
    pub folder: String,
    pub documents: usize,
    /// What can be found: requirements, heads of specs, changes, decisions, plans
    pub entries: usize,
    /// Pieces of text whose meaning counts, and how many have their vector
    pub passages: usize,
    pub embedded: usize,
    /// On disk
    pub bytes: u64,
    /// `bundled`, `none` or the path of a file
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub model_failure: Option<String>,
    /// Documents that a build took in or dropped
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub changed: Option<usize>,
}

/// What deleting the index took along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClearedView {
    /// Whether there was an index
    pub cleared: bool,
    /// Whether the vectors are gone that all work trees of the repository share
    pub shared_vectors: bool,
}

/// Four digits, without the noise that a wider number would show.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn score<S: serde::Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((score * 10_000.0).round() / 10_000.0)
}
