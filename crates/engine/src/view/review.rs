//! Views of reviews: verdicts, comments, what is shown to whoever decides.

use schemars::JsonSchema;
use serde::Serialize;

/// A verdict that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decided {
    pub spec_id: String,
    pub verdict: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    /// SHA-256 of what was shown
    pub digest: String,
    pub version: u32,
    /// The record that says so
    pub record: String,
    /// False when the same person had said the same before
    pub recorded: bool,
}

/// Where a comment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommentState {
    Open,
    /// The text that it is about is gone.
    Outdated,
    Resolved,
}

impl CommentState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Outdated => "outdated",
            Self::Resolved => "resolved",
        }
    }
}

/// One comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommentView {
    pub id: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    /// The version that it was made on
    pub version: u32,
    /// open, outdated or resolved
    #[schemars(with = "String")]
    pub state: CommentState,
    /// Where it belongs now; where it was made, when that is gone
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub place: Option<String>,
    /// Found again under another name
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub moved: bool,
    /// The words that it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub quote: Option<String>,
    pub text: String,
    /// Oldest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub replies: Vec<ReplyView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub resolved_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub resolution: Option<String>,
}

/// One answer to a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplyView {
    pub id: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    pub text: String,
}

/// The comments of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommentsView {
    pub spec_id: String,
    pub comments: Vec<CommentView>,
}

/// A comment that was added or settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommentMade {
    pub spec_id: String,
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub place: Option<String>,
    /// Whether this settles a comment
    pub resolved: bool,
}

/// A verdict among others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictGiven {
    pub record: String,
    pub verdict: String,
    pub by: String,
    pub channel: String,
    pub at: String,
    pub version: u32,
    /// Whether it is about what is there now
    pub current: bool,
    /// Why it counts for nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub doubt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// One thing that is different since the last approval; everything, where nothing was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewDifference {
    /// The difference in a line
    pub text: String,
    /// added, removed, changed or moved
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub capability: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub requirement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub scenario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub after: Option<String>,
}

/// An item as a reviewer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewView {
    pub spec_id: String,
    pub title: String,
    pub version: u32,
    /// SHA-256 of what is shown; a verdict has to name it
    pub digest: String,
    /// approved, pending, stale, changes_requested or rejected
    pub standing: String,
    /// The weakest channel that opens the gate of the plan
    pub gate: String,
    /// Whose verdict counts; anybody's when empty
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviewers: Vec<String>,
    /// The version that the differences are counted from
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub since_version: Option<u32>,
    pub differences: Vec<ReviewDifference>,
    pub verdicts: Vec<VerdictGiven>,
    pub comments: Vec<CommentView>,
    /// What is wrong with the records
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<String>,
}

/// What came of waiting for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Waited {
    pub spec_id: String,
    /// Whether somebody has decided about what is there now
    pub decided: bool,
    /// approved, pending, stale, changes_requested or rejected
    pub standing: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
    pub digest: String,
    pub version: u32,
    /// Comments that nobody has settled
    pub comments: Vec<CommentView>,
    /// What to do now
    pub next: String,
}

/// Something that is open though nothing was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenPoint {
    /// What a gate would refuse it with
    pub key: String,
    pub message: String,
    pub hint: String,
}

/// What opens the gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GatesView {
    #[serde(flatten)]
    pub levels: GateLevels,
    /// Folders and categories that have gates of their own
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub scopes: Vec<ScopeGatesView>,
    /// As long as nobody has said how plans are approved
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub notice: Option<String>,
}

/// The gates of one folder or category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScopeGatesView {
    /// `folder specs/payments` or `category docs`
    pub scope: String,
    #[serde(flatten)]
    pub levels: GateLevels,
}

/// What each gate wants, and of whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GateLevels {
    pub plan: String,
    pub archive: String,
    pub decision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviewers: Vec<String>,
}
