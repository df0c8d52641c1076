//! The paging fields that every list carries (D-13).

use schemars::JsonSchema;
use serde::Serialize;

/// Where a list stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Page {
    /// How many there are in all
    pub total: usize,
    /// How many follow this page
    pub remaining: usize,
    /// Pass this as `cursor` to get the next page; absent at the end
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub next_cursor: Option<String>,
}
