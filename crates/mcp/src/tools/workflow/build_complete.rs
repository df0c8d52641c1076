//! `build_complete`: ends the implementation.

use hewto_engine::build::{self, Completion};
use hewto_engine::view::BuildCompleted;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfSpec;

pub(crate) struct BuildComplete;

impl Tool for BuildComplete {
    const ABOUT: About = About {
        name: "build_complete",
        title: "Complete a build",
        description: "Finish the build: the spec is done. Where a gate holds, open steps refuse it unless dropped.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = OfSpec<Completion>;
    type View = BuildCompleted;

    fn run(workspace: &Workspace, context: &Context, params: OfSpec<Completion>) -> Result<BuildCompleted> {
        build::complete(workspace, context, &params.spec_id, &params.request)
    }
}
