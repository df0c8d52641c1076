//! Views of claims.

use schemars::JsonSchema;
use serde::Serialize;

/// A claim on a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimView {
    /// The fencing number: send it as `claim` with every write
    pub claim: u64,
    pub spec_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub step: Option<String>,
    pub holder: HolderView,
    /// Seconds that are left of it; every write begins them anew
    pub left_s: u64,
    pub until: String,
    /// Whether it was given back
    pub released: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
    /// What to do now
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub next: String,
}

/// Who holds a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HolderView {
    pub principal: String,
    pub session: String,
    pub worktree: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub branch: Option<String>,
}

/// Who has what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimsView {
    pub claims: Vec<ClaimView>,
    /// The work whose claims cannot be read: nobody may touch it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unread: Vec<String>,
    /// Where they are kept
    pub file: String,
}
