//! `plan_update`: changes the plan of a spec.

use hewto_engine::plan::{self, PlanChanges};
use hewto_engine::view::PlanUpdated;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfSpec;

pub(crate) struct PlanUpdate;

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
    type Params = OfSpec<PlanChanges>;
    type View = PlanUpdated;

    fn run(workspace: &Workspace, context: &Context, params: OfSpec<PlanChanges>) -> Result<PlanUpdated> {
        plan::update(workspace, context, &params.spec_id, &params.request)
    }
}
