//! `ci_test`: test it.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use super::args::ProjectParams;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiTest;

impl StationTool for CiTest {
    const ABOUT: About = About {
        name: "ci_test",
        title: "Run the tests",
        description: "Run the tests of a project with the tool that ci_detect finds. Gives counts and the failing tests by name; failing tests are an error with the output to read.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["run_tests"],
    };
    const LANE: Lane = Lane::Run;
    type Params = ProjectParams;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, params: ProjectParams) -> Result<ci::RunView> {
        let request = params.to(ci::Action::Test);
        project.perform_trusted(context, |station, call| ci::build(station, call, &request)?.into_result())
    }
}
