//! The rule table: every finding that hewto can report, with its code and its severity.
//!
//! A rule says *what* is checked; the code that reads a document says *where* it was broken, through
//! [`Rule::at`] and [`Rule::on`]. To add a rule, add a constant that says what has to hold, and use it.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Finding, Severity};

pub mod changes;
pub mod dialect;
pub mod reading;
pub mod requirements;
pub mod workspace;

/// One thing that hewto checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable kebab-case name.
    pub code: &'static str,
    pub severity: Severity,
}

impl Rule {
    pub const fn error(code: &'static str) -> Self {
        Self { code, severity: Severity::Error }
    }

    pub const fn warning(code: &'static str) -> Self {
        Self { code, severity: Severity::Warning }
    }

    pub const fn info(code: &'static str) -> Self {
        Self { code, severity: Severity::Info }
    }

    /// The rule is broken at a place in a text.
    pub fn at(
        &self,
        line: usize,
        span: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            span,
            line,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The rule is broken by a file or folder.
    pub fn on(
        &self,
        file: impl Into<String>,
        line: Option<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Finding {
        Finding {
            file: file.into(),
            line,
            code: self.code,
            severity: self.severity,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl Diagnostic {
    /// The same remark with the file it is about.
    pub fn in_file(&self, file: impl Into<String>) -> Finding {
        Finding {
            file: file.into(),
            line: Some(self.line),
            code: self.code,
            severity: self.severity,
            message: self.message.clone(),
            hint: self.hint.clone(),
        }
    }
}
