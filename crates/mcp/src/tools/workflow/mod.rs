//! Spec, plan, build (seed 000): from a wish to code that is done, with a lifecycle.

mod args;
mod build_complete;
mod build_start;
mod build_update;
mod plan_create;
mod plan_step_complete;
mod plan_update;
mod spec_check_dependencies;
mod spec_create;
mod spec_list;
mod spec_status;
mod spec_transition;
mod spec_update;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<build_complete::BuildComplete>(),
    ToolDef::of::<build_start::BuildStart>(),
    ToolDef::of::<build_update::BuildUpdate>(),
    ToolDef::of::<plan_create::PlanCreate>(),
    ToolDef::of::<plan_step_complete::PlanStepComplete>(),
    ToolDef::of::<plan_update::PlanUpdate>(),
    ToolDef::of::<spec_check_dependencies::SpecCheckDependencies>(),
    ToolDef::of::<spec_create::SpecCreate>(),
    ToolDef::of::<spec_list::SpecList>(),
    ToolDef::of::<spec_status::SpecStatus>(),
    ToolDef::of::<spec_transition::SpecTransition>(),
    ToolDef::of::<spec_update::SpecUpdate>(),
];
