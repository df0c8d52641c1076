//! How a promise stands.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What links, runs and drift say about one scenario, from nothing to proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No test is linked.
    Uncovered,
    /// A test is linked, and no run is known.
    Linked,
    /// A linked test failed in the last run.
    Failed,
    /// A run is known, and a linked test was not in it or was skipped.
    NotRun,
    /// Two tests share the name that the report gives.
    Ambiguous,
    /// The linked code had no executed line in the run that passed.
    Unexercised,
    /// All linked tests passed in a run of hewto's own, and nothing has changed since.
    Verified,
    /// It was verified; code or test changed since.
    Stale,
    /// The promise changed; neither its test nor its code did.
    Suspect,
    /// Linked code changed, and no test is linked that could clear it.
    Unreviewed,
    /// It had a tag when it was last recorded.
    Unlinked,
    /// Code changed and the linked test passed since.
    Moved,
}

impl State {
    pub const ALL: [Self; 12] = [
        Self::Uncovered,
        Self::Linked,
        Self::Failed,
        Self::NotRun,
        Self::Ambiguous,
        Self::Unexercised,
        Self::Verified,
        Self::Stale,
        Self::Suspect,
        Self::Unreviewed,
        Self::Unlinked,
        Self::Moved,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uncovered => "uncovered",
            Self::Linked => "linked",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
            Self::Ambiguous => "ambiguous",
            Self::Unexercised => "unexercised",
            Self::Verified => "verified",
            Self::Stale => "stale",
            Self::Suspect => "suspect",
            Self::Unreviewed => "unreviewed",
            Self::Unlinked => "unlinked",
            Self::Moved => "moved",
        }
    }

    /// Whether the promise counts as kept.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::Verified | Self::Moved)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
