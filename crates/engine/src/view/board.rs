//! The board: where every piece of work stands.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ClaimView, ClarifyState, DiagnosticView, OverlapView, SpecCounts, SummaryView, TaskProgress};

/// Where everything stands, read off the snapshot: nothing is validated for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardView {
    pub root: String,
    pub layout: Vec<String>,
    pub specs: SpecCounts,
    /// What waits for a person
    pub needs_you: BoardColumn,
    /// What can be taken up next
    pub ready: BoardColumn,
    pub building: BoardColumn,
    pub blocked: BoardColumn,
    /// What is done, the latest first
    pub done: BoardColumn,
    pub overlaps: Vec<OverlapView>,
    pub claims: Vec<ClaimView>,
    /// Questions that wait for an answer
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub clarification: Option<ClarifyState>,
    /// What cannot be read, among its neighbours
    pub unreadable: Vec<DiagnosticView>,
    /// Absent until it is computed
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub health: Option<SummaryView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub notice: Option<String>,
}

/// One column of the board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardColumn {
    pub total: usize,
    pub cards: Vec<BoardCard>,
}

/// One piece of work on the board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardCard {
    /// A spec id, or `change:<id>`
    pub item: String,
    pub title: String,
    /// Why it stands in this column
    pub why: String,
    /// What has to be done before
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub waits_for: Vec<WaitsFor>,
    /// What to do
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub next: Option<String>,
    /// Steps of its plan that are done, and all of them
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub progress: Option<TaskProgress>,
    /// approved, pending, stale, changes_requested or rejected
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub standing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub version: Option<u32>,
    /// Comments that nobody has settled
    pub comments: usize,
    /// Pieces that are new or different since the person who looks at the board has looked at the item
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub new_since_look: Option<usize>,
}

/// Another piece of work that comes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitsFor {
    pub item: String,
    pub title: String,
}
