//! The report of `validate`.

use schemars::JsonSchema;
use serde::Serialize;

use super::DiagnosticView;

/// What `validate` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReportView {
    pub valid: bool,
    pub issues: Vec<DiagnosticView>,
    pub summary: SummaryView,
    /// What `--fix` mended, in words
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub fixed: Vec<String>,
}

/// The report in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryView {
    pub specs: usize,
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
}

/// A verdict on specs or changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictView {
    pub valid: bool,
    pub errors: Vec<VerdictItem>,
    pub warnings: Vec<VerdictItem>,
    /// The verdict in one line
    pub summary: String,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictItem {
    /// Path relative to the workspace root
    pub file: String,
    pub line: Option<usize>,
    /// The part of the document, such as `purpose`, `requirements`, `proposal`, `tasks` or `deltas`
    pub section: String,
    pub description: String,
    /// Stable name of the rule
    pub code: String,
    pub hint: String,
}
