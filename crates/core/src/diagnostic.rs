//! What the readers and the rules have to say about a document.
//!
//! A diagnostic knows its place inside one text; [`Finding`] adds the file, which only the caller knows.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One remark about one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable kebab-case name of the rule that was broken.
    pub code: &'static str,
    pub severity: Severity,
    /// Bytes of the text this is about; an empty range at 0 means the whole document.
    pub span: Range<usize>,
    /// 1-based line of `span.start`.
    pub line: usize,
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// A diagnostic with its place in the workspace, as `validate` reports it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path relative to the workspace root, with `/`.
    pub file: String,
    /// 1-based; `None` when the finding is about the whole file or folder.
    pub line: Option<usize>,
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub hint: String,
}
