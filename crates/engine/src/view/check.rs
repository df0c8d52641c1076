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
