//! What the page of a review shows.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ClaimView, CommentView, OverlapView, ReviewView, VerdictItem};

/// Words that stayed, went or came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffPiece {
    /// same, gone or new
    pub op: String,
    pub text: String,
}

/// A change or a plan, as somebody who decides sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewPage {
    #[serde(flatten)]
    pub review: ReviewView,
    /// Whether it is a change, a spec with its plan, or an archived change
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub what_changes: Option<String>,
    /// Markdown that belongs to neither of the two
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub design: Option<String>,
    /// Requirement by requirement: what is promised now and then
    pub promises: Vec<PromiseCard>,
    pub steps: Vec<ReviewStep>,
    pub overlaps: Vec<OverlapView>,
    pub errors: Vec<VerdictItem>,
    pub warnings: Vec<VerdictItem>,
    /// How its promises are proven, in a line; absent where nobody asks for proof
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub proof: Option<String>,
    /// What was different the last time that this person looked; absent when they never did
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub since_look: Option<SinceLook>,
    /// What a verdict is about besides: every piece that stands nowhere else
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub rest: Vec<UnitText>,
    /// What could not be shown, and why
    pub left_out: Vec<String>,
    /// Who has claimed it
    pub claims: Vec<ClaimView>,
}

/// What is different since a person last looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SinceLook {
    /// SHA-256 of what they saw
    pub digest: String,
    pub at: String,
    pub differences: Vec<ComparedUnit>,
}

/// One piece of an item, as it was and as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedUnit {
    /// The place in words
    pub place: String,
    /// added, removed, changed or moved
    pub kind: String,
    pub words: Vec<DiffPiece>,
}

/// One piece of an item as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnitText {
    /// The place in words
    pub place: String,
    pub text: String,
}

/// One requirement of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromiseCard {
    /// What a comment and a look name it by
    pub key: String,
    pub capability: String,
    /// added, modified, removed, renamed or kept
    pub operation: String,
    pub name: String,
    /// The name that it had
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub from: Option<String>,
    pub words: Vec<DiffPiece>,
    pub scenarios: Vec<ScenarioCard>,
    /// Why it goes, and what instead
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub reason: Option<String>,
    pub comments: Vec<CommentView>,
    /// Whether this person has seen it as it stands
    pub seen: bool,
}

/// One scenario of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioCard {
    pub name: String,
    /// added, removed, changed or kept
    pub operation: String,
    pub steps: Vec<ClauseCard>,
    /// What else is written there: prose, quotations, comments
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub more: Vec<DiffPiece>,
    /// How it is proven: a state of the matrix
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub proof: Option<String>,
    pub comments: Vec<CommentView>,
}

/// One clause of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClauseCard {
    /// GIVEN, WHEN, THEN, AND or BUT
    pub keyword: String,
    /// As it reads now
    pub text: String,
    pub words: Vec<DiffPiece>,
}

/// One step of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewStep {
    pub title: String,
    pub description: String,
    pub done: bool,
    pub comments: Vec<CommentView>,
}
