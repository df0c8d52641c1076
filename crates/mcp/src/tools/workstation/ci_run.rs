//! `ci_run`: an allowed command.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiRun;

impl StationTool for CiRun {
    const ABOUT: About = About {
        name: "ci_run",
        title: "Run an allowed command",
        description: "Run a command that the user has allowed in [workstation.commands]. No shell: |, >, ;, $ and * are plain characters.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["run_command"],
    };
    const LANE: Lane = Lane::Run;
    type Params = ci::Run;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, request: ci::Run) -> Result<ci::RunView> {
        project.perform_trusted(context, |station, call| ci::run(station, call, &request)?.into_result())
    }
}
