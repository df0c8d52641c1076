//! `ci_build`: build it.

use hewto_engine::workstation::{Station, ci};
use hewto_engine::{Context, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::lanes::Lane;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiBuild;

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
    type Params = Params;
    type View = ci::RunView;

    fn run(station: &Station, context: &Context, params: Params) -> Result<ci::RunView> {
        let request = ci::Build {
            path: args::folder(params.path),
            action: ci::Action::Build,
            tool: params.tool,
            timeout_s: params.timeout_s,
            max_chars: params.max_chars,
        };
        station.perform(context, |station, call| ci::build(station, call, &request)?.into_result())
    }
}
