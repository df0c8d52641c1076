//! `ci_detect`: what builds a folder.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiDetect;

impl StationTool for CiDetect {
    const ABOUT: About = About {
        name: "ci_detect",
        title: "Detect the build",
        description: "Tell what builds a folder (cargo, npm, pnpm, go, dotnet, maven, gradle, pytest, make, just) and with which commands. Runs nothing.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = ci::Detect;
    type View = ci::DetectView;

    fn run(project: &Project, context: &Context, request: ci::Detect) -> Result<ci::DetectView> {
        project.perform(context, |station, call| ci::detect(station, call, &request))
    }
}
