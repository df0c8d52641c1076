//! `plan_step_complete`: ticks one step of a plan.

use hewto_engine::view::StepCompleted;
use hewto_engine::{Context, Result, Workspace, plan};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct PlanStepComplete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    #[schemars(range(min = 0, max = 9999))]
    step_index: usize,
    notes: Option<String>,
}

impl Tool for PlanStepComplete {
    const ABOUT: About = About {
        name: "plan_step_complete",
        title: "Complete a step",
        description: "Tick one step of a plan. step_index counts from 0: `Step 1` of plan.md is index 0.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = StepCompleted;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<StepCompleted> {
        plan::complete_step(workspace, context, &params.spec_id, params.step_index, params.notes.as_deref())
    }
}
