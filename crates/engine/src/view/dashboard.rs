//! What the pages of the dashboard show: each page is one of these views, and its `.json` is the view itself.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ArchivedChangeView, ArtifactSummary, ClaimView, ClarifyState, DecisionCard, DecisionView,
    DependenciesView, DiagnosticView, IndexView, PlanStepView, PromiseCard, PromiseView, ReportView,
    RequirementInContext, StateView,
};
use crate::doctor::DoctorView;
use crate::spec::ItemKind;

/// A spec with everything that hangs on it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpecPage {
    pub id: String,
    pub title: String,
    /// living or work
    #[schemars(with = "String")]
    pub kind: ItemKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub purpose: Option<String>,
    /// The document as it is written
    pub markdown: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub state: Option<StateView>,
    pub requirements: Vec<PromiseCard>,
    pub steps: Vec<PlanStepView>,
    pub dependencies: DependenciesView,
    /// Open changes that touch it
    pub open_changes: Vec<ChangeRef>,
    pub archived_changes: Vec<ArchivedChangeView>,
    pub decisions: Vec<DecisionCard>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub proof: Option<String>,
    pub diagnostics: Vec<DiagnosticView>,
}

/// A change in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeRef {
    pub id: String,
    pub title: String,
    /// What it does to the requirement: added, modified, removed or renamed; empty for a whole spec
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub operation: String,
}

/// One requirement with its history, changes, decisions, tests and code.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RequirementPage {
    #[serde(flatten)]
    pub requirement: RequirementInContext,
    pub open_changes: Vec<ChangeRef>,
    /// Archived changes that touched it, latest first
    pub history: Vec<ChangeRef>,
    pub decisions: Vec<DecisionCard>,
    /// Its rows of the matrix, with tests and code
    pub promises: Vec<PromiseView>,
}

/// What hangs around one artifact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NeighbourhoodView {
    /// The handle in the middle; absent where one has to be chosen
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub around: Option<String>,
    pub depth: usize,
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    /// How many more there would be
    pub left_out: usize,
}

/// One artifact of a neighbourhood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphNode {
    #[serde(flatten)]
    pub artifact: ArtifactSummary,
    /// Steps from the middle: negative for what it needs, positive for what needs it
    pub distance: i32,
}

/// `from` needs, or speaks of, `to`: places in the list of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphEdge {
    pub from: usize,
    pub to: usize,
    pub r#type: String,
}

/// All decisions, and what holds now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionsPage {
    /// Latest first
    pub decisions: Vec<DecisionLine>,
    /// What holds now: category, field, value
    pub architecture: std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>,
    /// `branches_merged` when several branches decided and no record joins them yet
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub message: Option<String>,
    /// Records that cannot be read, among those that can
    pub unreadable: Vec<DiagnosticView>,
    /// Records of other tools in the same folder
    pub foreign: Vec<ForeignDecision>,
    /// Questions that wait for an answer
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub clarification: Option<ClarifyState>,
}

/// One decision on the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionLine {
    #[serde(flatten)]
    pub card: DecisionCard,
    pub supersedes: Vec<String>,
    /// The decisions that took its place
    pub superseded_by: Vec<String>,
}

/// A decision that another tool recorded: it is shown as it is written, and nothing follows from it here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForeignDecision {
    /// The name of its file, without the extension
    pub name: String,
    pub title: String,
    /// As the record has it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub date: Option<String>,
    /// As the record has it; empty where it says none
    pub state: String,
    /// adr-tools or madr: what `hewto import` reads it as
    pub format: String,
    pub path: String,
}

/// One decision, and what came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionPage {
    #[serde(flatten)]
    pub decision: DecisionView,
    pub superseded_by: Vec<String>,
    /// Where another tool recorded it: what it says of itself
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub foreign: Option<ForeignDecision>,
}

/// What goes on, and what was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct OperationsPage {
    /// Calls under way, in every process of this machine that serves the workspace
    pub running: Vec<RunningView>,
    pub claims: Vec<ClaimView>,
    /// Latest first
    pub operations: Vec<crate::log::OperationView>,
}

/// A call under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, JsonSchema)]
pub struct RunningView {
    pub operation_id: String,
    pub session_id: String,
    pub principal: Option<String>,
    /// mcp, cli or web
    pub channel: String,
    pub tool: String,
    pub started_at: String,
    pub pid: u32,
}

/// Whether everything is sound.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HealthPage {
    /// Absent while the documents are still looked at
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub report: Option<ReportView>,
    pub doctor: DoctorView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub index: Option<IndexView>,
}
