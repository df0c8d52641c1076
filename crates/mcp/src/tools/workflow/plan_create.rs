//! `plan_create`: the first plan of a spec.

use hewto_engine::plan::{self, NewPlan};
use hewto_engine::view::PlanCreated;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, StepArg};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct PlanCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Spec id, or change:ID
    spec_id: String,
    approach: String,
    steps: Vec<StepArg>,
}

impl Tool for PlanCreate {
    const ABOUT: About = About {
        name: "plan_create",
        title: "Create a plan",
        description: "Create a spec's plan: an approach and ordered steps. Change it with plan_update.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = PlanCreated;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<PlanCreated> {
        let new = NewPlan { approach: params.approach, steps: args::convert(params.steps) };
        plan::create(workspace, context, &params.spec_id, &new)
    }
}
