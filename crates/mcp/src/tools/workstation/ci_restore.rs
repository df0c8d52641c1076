//! `ci_restore`: fetch what it needs.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiRestore;

impl StationTool for CiRestore {
    const ABOUT: About = About {
        name: "ci_restore",
        title: "Fetch dependencies",
        description: "Fetch what a project depends on, with the tool that ci_detect finds. git_restore is for unstaging.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["restore"],
    };
    const LANE: Lane = Lane::Run;
    type Params = ci::Build;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, request: ci::Build) -> Result<ci::RunView> {
        project.perform_trusted(context, |station, call| {
            ci::build(station, call, ci::Action::Restore, &request)?.into_result()
        })
    }
}
