//! `plan_step_complete`: ticks one step of a plan.

use hewto_engine::plan::{self, StepName};
use hewto_engine::view::StepCompleted;
use hewto_engine::{Context, Error, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct PlanStepComplete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    #[schemars(range(min = 0, max = 9999), extend("x-required" = true))]
    step_index: Option<usize>,
    /// Instead: 1.2, 2 (from 1) or its title
    #[schemars(extend("x-beyond" = true))]
    step: Option<String>,
    notes: Option<String>,
    /// Untick it instead, for this reason
    #[schemars(extend("x-beyond" = true))]
    undo: Option<String>,
}

impl Tool for PlanStepComplete {
    const ABOUT: About = About {
        name: "plan_step_complete",
        title: "Complete a step",
        description: "Tick one step of a plan. step_index counts from 0.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = StepCompleted;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<StepCompleted> {
        let step = match (params.step_index, params.step) {
            (Some(index), None) => StepName::Index(index),
            (None, Some(name)) => StepName::Text(name),
            (None, None) => return Err(which_step("neither is there")),
            (Some(_), Some(_)) => return Err(which_step("both are there")),
        };
        match &params.undo {
            Some(reason) => plan::reopen_step(workspace, context, &params.spec_id, step, reason),
            None => plan::complete_step(workspace, context, &params.spec_id, step, params.notes.as_deref()),
        }
    }
}

fn which_step(what: &str) -> Error {
    Error::invalid_argument(
        "step_index",
        "`step` or `step_index`, one of them",
        format!("which step? {what}"),
    )
}
