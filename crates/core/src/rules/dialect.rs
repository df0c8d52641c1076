//! Rules whose weight depends on whose repository it is.
//!
//! Under `.spox/` and `openspec/` hewto gives the verdicts of those tools; elsewhere the stricter of the two (D-10).

use super::Rule;
use crate::diagnostic::Severity;

/// Whose verdict is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    Native,
    Spox,
    OpenSpec,
}

/// A rule with a severity for each dialect; `None` where it is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectRule {
    /// Stable kebab-case name.
    pub code: &'static str,
    pub native: Severity,
    pub spox: Option<Severity>,
    pub openspec: Option<Severity>,
}

/// A letter for each dialect in the tables: error, warning, information, or not checked.
pub(super) const E: Option<Severity> = Some(Severity::Error);
pub(super) const W: Option<Severity> = Some(Severity::Warning);
pub(super) const I: Option<Severity> = Some(Severity::Info);
pub(super) const NO: Option<Severity> = None;

impl DialectRule {
    pub(super) const fn new(code: &'static str, [native, spox, openspec]: [Option<Severity>; 3]) -> Self {
        let Some(native) = native else { panic!("a rule is checked in native workspaces") };
        Self { code, native, spox, openspec }
    }

    /// The rule as a dialect has it.
    pub fn under(&self, dialect: Dialect) -> Option<Rule> {
        let severity = match dialect {
            Dialect::Native => Some(self.native),
            Dialect::Spox => self.spox,
            Dialect::OpenSpec => self.openspec,
        };
        severity.map(|severity| Rule { code: self.code, severity })
    }
}
