//! Requirements, changes and the archive (seed 004): what is promised, and how promises change.

mod change_archive;
mod change_create;
mod change_diff;
mod change_overlaps;
mod change_update;
mod change_withdraw;
mod context_for;
mod delta_arg;
mod get_change;
mod get_requirement;
mod get_scenario;
mod get_spec_requirements;
mod list_changes;
mod list_specs;
mod search_specs;
mod validate_change;
mod validate_spec;
mod workspace_status;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<change_archive::ChangeArchive>(),
    ToolDef::of::<change_create::ChangeCreate>(),
    ToolDef::of::<change_diff::ChangeDiff>(),
    ToolDef::of::<change_overlaps::ChangeOverlaps>(),
    ToolDef::of::<change_update::ChangeUpdate>(),
    ToolDef::of::<change_withdraw::ChangeWithdraw>(),
    ToolDef::of::<context_for::ContextFor>(),
    ToolDef::of::<get_change::GetChange>(),
    ToolDef::of::<get_requirement::GetRequirement>(),
    ToolDef::of::<get_scenario::GetScenario>(),
    ToolDef::of::<get_spec_requirements::GetSpecRequirements>(),
    ToolDef::of::<list_changes::ListChanges>(),
    ToolDef::of::<list_specs::ListSpecs>(),
    ToolDef::of::<search_specs::SearchSpecs>(),
    ToolDef::of::<validate_change::ValidateChange>(),
    ToolDef::of::<validate_spec::ValidateSpec>(),
    ToolDef::of::<workspace_status::WorkspaceStatus>(),
];
