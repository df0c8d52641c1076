//! `build_update`: reports progress.

use hewto_engine::build::{self, BuildReport};
use hewto_engine::view::BuildUpdated;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfSpec;

pub(crate) struct BuildUpdate;

impl Tool for BuildUpdate {
    const ABOUT: About = About {
        name: "build_update",
        title: "Report build progress",
        description: "Record build progress: percentage, current step or notes. Tick steps with plan_step_complete.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = OfSpec<BuildReport>;
    type View = BuildUpdated;

    fn run(workspace: &Workspace, context: &Context, params: OfSpec<BuildReport>) -> Result<BuildUpdated> {
        build::update(workspace, context, &params.spec_id, &params.request)
    }
}
