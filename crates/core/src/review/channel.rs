//! Verdicts, and the ways in which a person can give one.

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

/// How a verdict reached hewto.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// An argument of the caller's own.
    Asserted,
    /// A form of the client, with characters of the digest typed into it.
    Elicited,
    /// A terminal, with a code to retype.
    Terminal,
    /// The dashboard, behind its login.
    Web,
    /// The hub, behind its accounts.
    Hub,
    /// A signature of a listed key.
    Signed,
    /// A signature of a listed key that somebody touched.
    Touch,
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

impl Channel {
    pub const ALL: [Self; 7] =
        [Self::Asserted, Self::Elicited, Self::Terminal, Self::Web, Self::Hub, Self::Signed, Self::Touch];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asserted => "asserted",
            Self::Elicited => "elicited",
            Self::Terminal => "terminal",
            Self::Web => "web",
            Self::Hub => "hub",
            Self::Signed => "signed",
            Self::Touch => "touch",
        }
    }

    /// From 0, which stops nobody, to 4, which needs a finger on a key.
    pub fn strength(self) -> u8 {
        match self {
            Self::Asserted => 0,
            Self::Elicited => 1,
            Self::Terminal | Self::Web | Self::Hub => 2,
            Self::Signed => 3,
            Self::Touch => 4,
        }
    }

    /// Whether what comes this way opens a gate of that strength.
    pub fn suffices_for(self, weakest: Self) -> bool {
        self.strength() >= weakest.strength()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Channel {
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

impl FromStr for Channel {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text).ok_or(UnknownName)
    }
}
