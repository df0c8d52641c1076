//! The front matter of artifacts (seed 002).

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ArtifactIdView, ArtifactSummary};

/// What a front matter says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MetadataView {
    pub id: ArtifactIdView,
    pub kind: String,
    pub handle: String,
    /// Relative to the workspace root; null when it is not in the workspace
    pub path: Option<String>,
    /// Empty when the document has none
    pub front_matter: Map<String, Value>,
    /// Of a document on the web
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub remote: Option<RemoteView>,
}

/// Where the text of a document on the web came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteView {
    /// The copy that is kept
    pub cache_path: String,
    pub retrieved_at: Option<String>,
    pub last_modified: Option<String>,
    /// Why this is a copy from earlier
    pub problem: Option<String>,
}

/// A document with its front matter edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MetadataPatched {
    pub artifact: ArtifactSummary,
    /// Whether the document is any different
    pub changed: bool,
    /// What is different, as a unified diff
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub diff: Option<String>,
    pub updated_document: String,
    /// How many characters of the document did not fit
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub omitted_chars: Option<usize>,
    /// Where it was written; null for a preview
    pub persisted: Option<PersistedView>,
}

/// Where a document was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PersistedView {
    pub artifact: ArtifactSummary,
    pub path: String,
    pub workspace: String,
}
