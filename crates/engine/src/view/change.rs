//! Views of change proposals.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{OpenPoint, Page, RequirementView, VerdictView};

/// How far the tasks of a change are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskProgress {
    pub completed: usize,
    pub total: usize,
}

/// One line of the list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeCard {
    pub id: String,
    /// Only where archived changes were asked for
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub archived: bool,
    pub title: String,
    pub task_progress: TaskProgress,
    /// The specs that the change touches
    pub capabilities: Vec<String>,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeCards {
    pub changes: Vec<ChangeCard>,
    /// What stands in the place of a change and is none, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub not_listed: Vec<String>,
    #[serde(flatten)]
    pub page: Page,
}

/// A change, or one section of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeView {
    pub id: String,
    pub title: String,
    /// The folder of a change that is archived
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub archived: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub proposal: Option<ProposalView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub tasks: Option<TasksView>,
    /// The whole of `design.md`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub design: Option<String>,
    /// By capability
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub deltas: Option<BTreeMap<String, DeltaView>>,
    /// What did not fit, and how to get it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left_out: Vec<String>,
}

/// Why a change is wanted and what it does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposalView {
    pub why: Option<String>,
    pub what_changes: Option<String>,
    /// The whole of `proposal.md`
    pub text: String,
}

/// The tasks of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TasksView {
    pub groups: Vec<TaskGroupView>,
    pub completed: usize,
    pub total: usize,
}

/// Tasks below one heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskGroupView {
    /// Null for tasks above the first heading
    pub title: Option<String>,
    pub tasks: Vec<TaskView>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskView {
    /// 0-based over the whole list, as a plan counts its steps
    pub index: usize,
    pub number: Option<String>,
    pub title: String,
    pub done: bool,
}

/// What a change does to one spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeltaView {
    pub added: Vec<DeltaRequirementView>,
    pub modified: Vec<DeltaRequirementView>,
    pub removed: Vec<RequirementView>,
    pub renamed: Vec<RenameView>,
}

/// A requirement as a change has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeltaRequirementView {
    #[serde(flatten)]
    pub requirement: RequirementView,
    /// Its Markdown, where the fields do not say all of it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub raw: Option<String>,
}

/// A requirement that gets another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenameView {
    pub from: String,
    pub to: String,
}

/// A new change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeCreated {
    pub change_id: String,
    pub created: bool,
    /// Folder relative to the workspace root, with a trailing slash
    pub path: String,
    /// What was written, relative to the workspace root
    pub files: Vec<String>,
    /// Other open changes that touch the same requirements
    pub overlaps: Vec<OverlapView>,
    /// What is wrong with the change as it stands
    pub validation: VerdictView,
    /// The call that comes next
    pub next: String,
}

/// A change after an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeUpdated {
    pub change_id: String,
    /// False when everything was as it is already
    pub updated: bool,
    /// What was written or taken out, relative to the workspace root
    pub files: Vec<String>,
    /// Unified diff of what changed
    pub diff: String,
    /// Other open changes that touch the same requirements
    pub overlaps: Vec<OverlapView>,
    /// What is wrong with the change as it stands
    pub validation: VerdictView,
}

/// A change that was ended without being applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeWithdrawn {
    pub change_id: String,
    pub withdrawn: bool,
    /// The folder it moved to, relative to the workspace root
    pub path: String,
    pub reason: String,
}

/// Requirements that several open changes touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverlapsView {
    pub overlaps: Vec<OverlapView>,
}

/// One requirement that several open changes touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverlapView {
    pub capability: String,
    pub requirement: String,
    pub changes: Vec<String>,
    /// Scenarios that one of the changes has and another has not
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub at_risk: Vec<String>,
}

/// A change in words: what would be different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffView {
    pub change_id: String,
    /// One sentence for each difference
    pub differences: Vec<DifferenceView>,
    /// What did not fit, and how to get it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub left_out: Option<String>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DifferenceView {
    pub capability: String,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    /// Such as `Requirement X: scenario Y added`
    pub text: String,
}

/// What archiving did, or with a dry run would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchiveView {
    pub change_id: String,
    /// False for a dry run
    pub archived: bool,
    /// The folder it moved to, relative to the workspace root
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub specs: Vec<ArchivedSpec>,
    /// Unified diff of what a dry run would write
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub diff: Option<String>,
    /// What of the diff did not fit, and how to get it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub left_out: Option<String>,
    /// What a person should know though it stopped nothing
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub warnings: Vec<String>,
    /// The current task that led to the change and is done with it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub closed_task: Option<String>,
    /// What is open, where no gate holds
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub open: Vec<OpenPoint>,
}

/// What archiving did to one spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchivedSpec {
    pub capability: String,
    /// `created`, `updated`, `unchanged` or `retired`
    pub outcome: String,
    pub added: usize,
    pub modified: usize,
    pub removed: usize,
    pub renamed: usize,
}
