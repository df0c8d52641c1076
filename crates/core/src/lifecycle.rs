//! The life of a work item: its states, the moves between them, and the phase of the work.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a work item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    Draft,
    Active,
    Done,
    Blocked,
    Cancelled,
    Archived,
}

/// What kind of work is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Spec,
    Plan,
    Build,
}

impl Lifecycle {
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Active, Self::Done, Self::Blocked, Self::Cancelled, Self::Archived];

    /// The states this one may move to, in the order they are offered.
    pub fn transitions(self) -> &'static [Self] {
        match self {
            Self::Draft | Self::Blocked => &[Self::Active],
            Self::Active => &[Self::Done, Self::Blocked, Self::Cancelled],
            Self::Done | Self::Cancelled => &[Self::Archived],
            Self::Archived => &[],
        }
    }

    pub fn may_become(self, to: Self) -> bool {
        self.transitions().contains(&to)
    }

    /// Whether a dependency on an item in this state is fulfilled.
    pub fn satisfies_dependency(self) -> bool {
        matches!(self, Self::Done | Self::Archived)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Active => "active",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::Archived => "archived",
        }
    }
}

impl Phase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Plan => "plan",
            Self::Build => "build",
        }
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the name of a state or phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a known name")]
pub struct UnknownName;

impl FromStr for Lifecycle {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(UnknownName)
    }
}

impl FromStr for Phase {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        [Self::Spec, Self::Plan, Self::Build].into_iter().find(|p| p.as_str() == text).ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lifecycle_allows_exactly_the_documented_moves() {
        let mut moves = Vec::new();
        for from in Lifecycle::ALL {
            for to in Lifecycle::ALL {
                if from.may_become(to) {
                    moves.push(format!("{from}>{to}"));
                }
            }
        }
        assert_eq!(
            moves.join(" "),
            "draft>active active>done active>blocked active>cancelled done>archived blocked>active cancelled>archived"
        );
    }
}
