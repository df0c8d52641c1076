//! Seed 002 (SpecMan): every artifact of the workspace, what it depends on, and how it is made and removed.

mod workspace_describe;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[ToolDef::of::<workspace_describe::WorkspaceDescribe>()];

/// Where the concepts of seed 002 are written down; a tool's `concept_ref` is a link to one of them.
mod concept {
    pub(super) const WORKSPACE_DISCOVERY: &str =
        "[Concept: Workspace Discovery](../../spec/specman-core/spec.md#concept-workspace-discovery)";
}
