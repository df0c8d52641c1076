//! The one screen on where things stand.

use schemars::JsonSchema;
use serde::Serialize;

use super::{OverlapView, SummaryView, TaskProgress};

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
    /// Errors that `validate_change` reports
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
}

/// Something that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlockedView {
    pub item: String,
    pub title: String,
    pub by: Vec<String>,
}
