//! `plan_update`: changes the plan of a spec.

use hewto_engine::plan::{self, PlanChanges};
use hewto_engine::view::PlanUpdated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, StepArg};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct PlanUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    approach: Option<String>,
    /// Replaces all
    steps: Option<Vec<StepArg>>,
}

impl Tool for PlanUpdate {
    const ABOUT: About = About {
        name: "plan_update",
        title: "Update a plan",
        description: "Change a plan's approach or replace its steps. Steps with an unchanged title keep status and notes.",
        toolset: Toolset::Workflow,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = PlanUpdated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<PlanUpdated> {
        let changes = PlanChanges { approach: params.approach, steps: params.steps.map(args::convert) };
        plan::update(workspace, context, &params.spec_id, &changes)
    }
}
