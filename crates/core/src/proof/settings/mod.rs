//! `.hewto/proof.toml`: what a project asks of its proofs, as typed values.
//!
//! Reading never fails: every fault is a diagnostic with its line, a misspelt key is a warning. Whoever decides by
//! these settings refuses while [`Settings::is_valid`] does not hold, so that a broken file opens nothing.

mod check;
mod gates;
mod read;
mod words;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

pub use check::{Check, DEFAULT_TIMEOUT_S, Format, LONGEST_TIMEOUT_S};
pub use gates::{Channel, Gate, GateSet, Gates, Place, Scope};

use crate::diagnostic::{Diagnostic, Severity};

/// What happens where proof is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// Nobody asks.
    #[default]
    Off,
    /// The reply lists what lacks; nothing is refused.
    Warn,
    /// What lacks proof is refused.
    Enforce,
}

impl Policy {
    pub const ALL: [Self; 3] = [Self::Off, Self::Warn, Self::Enforce];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Enforce => "enforce",
        }
    }
}

/// What a `proof.toml` says; the default is what its absence means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    pub policy: Policy,
    /// Globs of files whose declarations are tests.
    pub tests: Vec<String>,
    /// The share of scenarios, in percent, that has to be verified.
    pub min_verified: Option<u8>,
    pub gates: Gates,
    /// The checks in the order of the file.
    pub checks: Vec<Check>,
    valid: bool,
}

impl Settings {
    /// Reads the settings, with what is wrong with them.
    pub fn read(text: &str) -> (Self, Vec<Diagnostic>) {
        let (mut settings, diagnostics) = read::read(text);
        settings.valid = !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        (settings, diagnostics)
    }

    /// What the absence of the file means.
    pub fn absent() -> Self {
        Self { valid: true, ..Self::default() }
    }

    /// What a file means that somebody has reviewed and nobody can read here: how strict it is is not known, so a person is
    /// asked.
    pub fn unreadable() -> Self {
        let person = Some(Gate::Weakest(Channel::Terminal));
        let general = GateSet { plan: person, archive: person, decision: person, reviewers: None };
        Self { gates: Gates { general, ..Gates::default() }, ..Self::absent() }
    }

    /// Whether everything in the file could be understood, apart from unknown keys.
    pub fn is_valid(&self) -> bool {
        self.valid
    }

    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}

/// The digest by which a `proof.toml` is trusted: SHA-256 of all its bytes, in lower-case hex.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests;
