//! `ci_test`: test it.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

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
    type Params = ci::Build;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, request: ci::Build) -> Result<ci::RunView> {
        project.perform_trusted(context, |station, call| {
            ci::build(station, call, ci::Action::Test, &request)?.into_result()
        })
    }
}
