//! The workspace graph (seed 002): artifacts, edges, trees.

use schemars::JsonSchema;
use serde::Serialize;

/// Where a workspace is and where its artifacts stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkspaceView {
    pub root: String,
    /// The folder of settings and machinery: `.specman`, or `.hewto` in a native workspace
    pub dot_specman: String,
    pub spec_dir: String,
    pub impl_dir: String,
    pub scratchpad_dir: String,
}
