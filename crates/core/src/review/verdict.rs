//! What people say in the end.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::lifecycle::UnknownName;

/// What somebody thinks of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approved,
    ChangesRequested,
    Rejected,
}

impl Verdict {
    pub const ALL: [Self; 3] = [Self::Approved, Self::ChangesRequested, Self::Rejected];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ChangesRequested => "changes_requested",
            Self::Rejected => "rejected",
        }
    }

    /// How much it holds up: of two at the same moment the stricter one counts.
    pub(super) fn strictness(self) -> u8 {
        match self {
            Self::Approved => 0,
            Self::ChangesRequested => 1,
            Self::Rejected => 2,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text).ok_or(UnknownName)
    }
}
