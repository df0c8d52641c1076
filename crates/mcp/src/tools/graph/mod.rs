//! Seed 002 (SpecMan): every artifact of the workspace, what it depends on, and how it is made and removed.

mod args;
mod dependency_slice;
mod dependency_tree;
mod lifecycle_create;
mod lifecycle_delete;
mod lifecycle_plan_creation;
mod lifecycle_plan_deletion;
mod lifecycle_scratchpad;
mod metadata_describe;
mod metadata_patch;
mod operations_inspect;
mod prompt_catalog;
mod templates_catalog;
mod templates_pointer_update;
mod workspace_describe;
mod workspace_list_artifacts;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<dependency_slice::DependencySlice>(),
    ToolDef::of::<dependency_tree::DependencyTreeTool>(),
    ToolDef::of::<lifecycle_create::LifecycleCreate>(),
    ToolDef::of::<lifecycle_delete::LifecycleDelete>(),
    ToolDef::of::<lifecycle_plan_creation::LifecyclePlanCreation>(),
    ToolDef::of::<lifecycle_plan_deletion::LifecyclePlanDeletion>(),
    ToolDef::of::<lifecycle_scratchpad::LifecycleScratchpad>(),
    ToolDef::of::<metadata_describe::MetadataDescribe>(),
    ToolDef::of::<metadata_patch::MetadataPatch>(),
    ToolDef::of::<operations_inspect::OperationsInspect>(),
    ToolDef::of::<prompt_catalog::PromptCatalog>(),
    ToolDef::of::<templates_catalog::TemplatesCatalog>(),
    ToolDef::of::<templates_pointer_update::TemplatesPointerUpdate>(),
    ToolDef::of::<workspace_describe::WorkspaceDescribe>(),
    ToolDef::of::<workspace_list_artifacts::WorkspaceListArtifacts>(),
];

/// Handles that the seed does not know, and where they are described.
pub(crate) const HANDLES: &[&str] = &["docs/graph.md#change", "docs/graph.md#adr"];
