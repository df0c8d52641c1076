//! `ci_build`: build it.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiBuild;

impl StationTool for CiBuild {
    const ABOUT: About = About {
        name: "ci_build",
        title: "Build",
        description: "Build a project with the tool that ci_detect finds. A failing build is an error with exit_code, stdout and stderr to read.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["build"],
    };
    const LANE: Lane = Lane::Run;
    type Params = ci::Build;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, request: ci::Build) -> Result<ci::RunView> {
        project.perform_trusted(context, |station, call| {
            ci::build(station, call, ci::Action::Build, &request)?.into_result()
        })
    }
}
