//! `plan_create`: the first plan of a spec.

use hewto_engine::plan::{self, NewPlan};
use hewto_engine::view::PlanCreated;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfItem;

pub(crate) struct PlanCreate;

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
    type Params = OfItem<NewPlan>;
    type View = PlanCreated;

    fn run(workspace: &Workspace, context: &Context, params: OfItem<NewPlan>) -> Result<PlanCreated> {
        plan::create(workspace, context, &params.spec_id, &params.request)
    }
}
