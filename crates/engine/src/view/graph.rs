//! The workspace graph (seed 002): artifacts, edges, trees.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{LinkView, Page};

/// Where a workspace is and where its artifacts stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkspaceView {
    pub root: String,
    /// The folder of settings and machinery: `.specman`, or `.hewto` in a native workspace
    pub dot_specman: String,
    pub spec_dir: String,
    pub impl_dir: String,
    pub scratchpad_dir: String,
    pub counts: ArtifactCounts,
}

/// How many artifacts there are of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactCounts {
    pub specifications: usize,
    pub implementations: usize,
    pub scratch_pads: usize,
    pub plans: usize,
    pub changes: usize,
    pub decisions: usize,
    pub tasks: usize,
}

/// What an artifact is and is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactIdView {
    /// Specification, Implementation, ScratchPad, Plan, Change, Decision or Task
    pub kind: String,
    /// Its own name, else that of its folder; the reference itself when it leads nowhere
    pub name: String,
}

/// An artifact in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactSummary {
    pub id: ArtifactIdView,
    /// What to pass as a locator
    pub handle: String,
    /// Relative to the workspace root; null when it is not in the workspace
    pub path: Option<String>,
    /// A semantic version
    pub version: Option<String>,
    /// `title`, `metadata_status`, `resolution` and the like
    pub metadata: BTreeMap<String, String>,
}

/// Artifacts, sorted by handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactList {
    pub artifacts: Vec<ArtifactSummary>,
    #[serde(flatten)]
    pub page: Page,
}

/// On which side of the artifact an edge was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum EdgeRelation {
    Upstream,
    Downstream,
}

/// `from` needs, or speaks of, `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyEdge {
    pub from: ArtifactSummary,
    pub to: ArtifactSummary,
    pub relation: EdgeRelation,
    /// depends, implements, references, targets, modifies, supersedes or relates
    pub r#type: String,
    pub optional: bool,
    /// hard or soft, of a workflow dependency
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub kind: Option<String>,
}

/// Edges, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeList {
    pub edges: Vec<DependencyEdge>,
    #[serde(flatten)]
    pub page: Page,
}

/// Everything that hangs on an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyTree {
    pub root: ArtifactSummary,
    /// What it needs, and what that needs
    pub upstream: Vec<DependencyEdge>,
    /// What needs it, and what needs that
    pub downstream: Vec<DependencyEdge>,
    /// Both
    pub aggregate: Vec<DependencyEdge>,
    /// What did not fit
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub omitted: Option<OmittedEdges>,
}

/// How much of a tree was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OmittedEdges {
    pub upstream: usize,
    pub downstream: usize,
    pub hint: String,
}

/// The whole graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphView {
    pub artifacts: Vec<ArtifactSummary>,
    pub edges: Vec<DependencyEdge>,
}

/// What governs a file, the most specific first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WhyView {
    pub path: String,
    /// Whether something stands there
    pub exists: bool,
    pub governed_by: Vec<GovernorView>,
    /// Archived changes that touched a spec among these, latest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub archived_changes: Vec<ArchivedChangeView>,
    /// The promises that its declarations carry tags of
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub promises: Vec<LinkView>,
}

/// A change that was applied, or withdrawn, some time ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchivedChangeView {
    /// As get_change takes it
    pub id: String,
    pub title: String,
    pub path: String,
}

/// An artifact that governs a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GovernorView {
    pub artifact: ArtifactSummary,
    pub reason: String,
    /// What it promises, if it is a spec with requirements
    pub requirements: Vec<String>,
}
