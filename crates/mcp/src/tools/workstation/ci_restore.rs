//! `ci_restore`: fetch what it needs.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use super::args::ProjectParams;
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
    type Params = ProjectParams;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, params: ProjectParams) -> Result<ci::RunView> {
        let request = params.to(ci::Action::Restore);
        project.perform_trusted(context, |station, call| ci::build(station, call, &request)?.into_result())
    }
}
