//! `ci_test`: test it.

use hewto_engine::workstation::{Station, ci};
use hewto_engine::{Context, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::lanes::Lane;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiTest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder, or a project file in it; default the first root
    path: Option<String>,
    /// Where a folder has several
    tool: Option<ci::Tool>,
    /// Seconds it may take; default 600
    #[schemars(range(min = 1, max = 3600))]
    timeout_s: Option<u64>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

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
    type Params = Params;
    type View = ci::RunView;

    fn run(station: &Station, context: &Context, params: Params) -> Result<ci::RunView> {
        let request = ci::Build {
            path: args::folder(params.path),
            action: ci::Action::Test,
            tool: params.tool,
            timeout_s: params.timeout_s,
            max_chars: params.max_chars,
        };
        station.perform(context, |station, call| ci::build(station, call, &request)?.into_result())
    }
}
