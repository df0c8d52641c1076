//! Views of specs, their dependencies and the full bundle.

use hewto_core::diagnostic::Severity;
use hewto_core::lifecycle::Phase;
use schemars::JsonSchema;
use serde::Serialize;

use super::{BuildProgressView, OpenPoint, Page, PlanProgressView, PlanView};
use crate::spec::ItemKind;

/// A new spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecCreated {
    pub spec_id: String,
    pub created: bool,
    /// Folder relative to the workspace root, with a trailing slash
    pub path: String,
}

/// An edited spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecUpdated {
    pub spec_id: String,
    pub updated: bool,
    pub updated_at: String,
    /// Lines that were there and are gone
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub dropped: Vec<String>,
}

/// A lifecycle move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecTransitioned {
    pub spec_id: String,
    pub from_state: String,
    pub to_state: String,
    pub transitioned: bool,
    /// What is open, where no gate holds
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub open: Vec<OpenPoint>,
}

/// One line of the spec list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecListEntry {
    pub id: String,
    /// living (a promise that holds), work (has a lifecycle) or change
    #[schemars(with = "String")]
    pub kind: ItemKind,
    pub title: String,
    /// Null when `state.toon` cannot be read
    pub state: Option<String>,
    /// Null when the spec says none
    pub category: Option<String>,
    /// Null when the spec says none
    pub created_at: Option<String>,
    /// What is wrong with the spec's files, where something is
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub diagnostics: Vec<DiagnosticView>,
}

/// A page of specs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecListView {
    pub specs: Vec<SpecListEntry>,
    #[serde(flatten)]
    pub page: Page,
}

/// One entry of the `airsspec:///specs` index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecIndexEntry {
    pub id: String,
    pub title: String,
    pub state: Option<String>,
    pub category: Option<String>,
    pub phase: Option<String>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

/// The `airsspec:///specs` index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecIndexView {
    pub specs: Vec<SpecIndexEntry>,
    pub total: usize,
}

/// A remark on a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosticView {
    pub code: String,
    #[schemars(with = "String")]
    pub severity: Severity,
    /// Path relative to the workspace root
    pub file: String,
    pub line: Option<usize>,
    pub message: String,
    pub hint: String,
}

/// How a spec's dependencies stand, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyCounts {
    pub total: usize,
    pub satisfied: usize,
    /// Unsatisfied hard ones
    pub blocked: usize,
}

/// Where a work item stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecStatusView {
    pub spec_id: String,
    /// `living`, `work` or `change`; what is living has no lifecycle, whatever `lifecycle_state` says
    #[schemars(with = "String")]
    pub kind: ItemKind,
    pub title: String,
    pub lifecycle_state: String,
    #[schemars(with = "String")]
    pub phase: Phase,
    /// Null without a plan
    pub plan_progress: Option<PlanProgressView>,
    pub build_progress: BuildProgressView,
    pub dependencies: DependencyCounts,
    /// Why it is in this state, where somebody said so
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub reason: Option<String>,
    /// Null for a spec that has neither state nor front matter
    pub updated_at: Option<String>,
}

/// One dependency and whether it is fulfilled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyEntry {
    pub spec_id: String,
    pub kind: String,
    /// `missing` when there is no such spec, `unreadable` when its state cannot be read, `external` for an address on the web
    pub state: String,
    pub satisfied: bool,
}

/// The dependencies of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependenciesView {
    pub spec_id: String,
    /// Whether no hard dependency is open
    pub all_satisfied: bool,
    pub dependencies: Vec<DependencyEntry>,
    /// Ids of the open hard dependencies
    pub blocking: Vec<String>,
}

/// Everything about one spec (`airsspec:///{spec_id}`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecBundle {
    pub id: String,
    /// `living` where it is what is promised now, and no work
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default, with = "Option<String>")]
    pub kind: Option<ItemKind>,
    pub spec: SpecContentView,
    /// Null without a plan
    pub plan: Option<PlanView>,
    pub plan_progress: Option<PlanProgressView>,
    /// Null when `state.toon` cannot be read
    pub state: Option<StateView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub diagnostics: Vec<DiagnosticView>,
}

/// The spec document itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecContentView {
    pub metadata: SpecMetadataView,
    /// Markdown after the front matter
    pub content: String,
}

/// What the front matter says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecMetadataView {
    pub title: String,
    pub description: Option<String>,
    pub category: Option<String>,
    pub state: Option<String>,
    pub dependencies: Vec<DependencyView>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

/// One declared dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DependencyView {
    pub spec_id: String,
    pub kind: String,
}

/// The workflow state of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StateView {
    pub lifecycle: String,
    #[schemars(with = "String")]
    pub phase: Phase,
    pub build_progress: BuildProgressView,
    pub reason: Option<String>,
    pub summary: Option<String>,
    pub deviations: Option<String>,
    pub completed_at: Option<String>,
    pub updated_at: Option<String>,
}
