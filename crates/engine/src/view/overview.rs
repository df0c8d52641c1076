//! The one screen on where things stand.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ClaimView, CommentView, OverlapView, SummaryView, TaskProgress};

/// Where a workspace stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OverviewView {
    pub root: String,
    /// The layouts found, such as `native` or `openspec`
    pub layout: Vec<String>,
    pub specs: SpecCounts,
    pub health: SummaryView,
    pub changes: Vec<OpenChangeView>,
    /// What can be done next, most advanced first
    pub ready: Vec<ReadyView>,
    /// What waits, and for what
    pub blocked: Vec<BlockedView>,
    pub overlaps: Vec<OverlapView>,
    /// Builds under way
    pub building: Vec<BuildingView>,
    /// What waits for a person's verdict, or has comments that nobody has settled
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviews: Vec<WaitingView>,
    /// Who works on what
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub claims: Vec<ClaimView>,
    /// What `adopt` has seen in the code and nobody has described yet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub backlog: Vec<ObservedView>,
    /// What the owner should know
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub notice: Option<String>,
}

/// A requirement that was seen in the code and that nobody has described yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservedView {
    /// `change:<id>`, or the spec that it was archived into
    pub item: String,
    pub capability: String,
    pub requirement: String,
    /// Where it was seen, as `file:line`
    pub code: String,
    /// The functions behind it: file and name
    #[serde(skip)]
    pub declared: Vec<(String, String)>,
    /// The tests that name it, as `file:line name`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tests: Vec<String>,
}

/// A build under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildingView {
    /// A spec id, or `change:<id>`
    pub item: String,
    pub title: String,
    pub percentage: u8,
    pub current_step: Option<String>,
}

/// Where a workspace stands, for whoever begins to work: within 4,000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkspaceStatusView {
    /// No errors
    pub valid: bool,
    pub errors: usize,
    pub warnings: usize,
    pub specs: SpecCounts,
    pub open_changes: usize,
    /// What can be done next, most advanced first
    pub ready: Vec<NextView>,
    /// What waits for a person to look at it
    pub waits_for_person: Vec<NextView>,
    /// What waits for something else
    pub blocked: Vec<BlockedView>,
    pub building: Vec<BuildingView>,
    /// Requirements that several open changes touch
    pub overlaps: Vec<String>,
    /// What people have to decide about, and their open comments
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviews: Vec<WaitingView>,
    /// The call that comes next
    pub next: String,
    /// What did not fit, and where it is
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left_out: Vec<String>,
}

/// Something to do, as a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextView {
    pub item: String,
    pub title: String,
    pub why: String,
    /// The exact call
    pub call: String,
}

/// Something that people have to say or have said something about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitingView {
    /// A spec id, or `change:<id>`
    pub item: String,
    /// approved, pending, stale, changes_requested or rejected
    pub standing: String,
    pub version: u32,
    /// Comments that nobody has settled
    pub comments: Vec<CommentView>,
    /// Whether nothing goes on before a person has agreed
    #[serde(skip)]
    pub waits: bool,
}

/// Specs by where they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpecCounts {
    pub total: usize,
    /// Specs that nobody has worked on with plans or builds
    pub living: usize,
    pub draft: usize,
    pub active: usize,
    pub blocked: usize,
    pub done: usize,
    pub cancelled: usize,
    pub archived: usize,
    /// Specs whose state cannot be read
    pub unreadable: usize,
}

/// An open change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenChangeView {
    pub id: String,
    pub title: String,
    pub task_progress: TaskProgress,
    pub capabilities: Vec<String>,
    /// How many errors the change has as it stands
    pub errors: usize,
}

/// Something that can be done next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadyView {
    /// A spec id, or `change:<id>`
    pub item: String,
    pub title: String,
    /// What to do
    pub next: String,
    /// Why it is its turn
    pub why: String,
    /// The same as a call of a tool
    pub call: String,
    /// A person has to look at it first
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub waits_for_person: bool,
}

/// Something that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockedView {
    pub item: String,
    pub title: String,
    pub by: Vec<String>,
}
