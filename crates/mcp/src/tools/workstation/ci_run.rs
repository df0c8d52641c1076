//! `ci_run`: an allowed command.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct CiRun;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A program and its arguments, as they would be typed
    command: String,
    /// Default the first root
    cwd: Option<String>,
    /// Seconds it may take; default 600
    #[schemars(range(min = 1, max = 3600))]
    timeout_s: Option<u64>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

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
    type Params = Params;
    type View = ci::RunView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<ci::RunView> {
        let request = ci::Run {
            command: params.command,
            cwd: params.cwd,
            timeout_s: params.timeout_s,
            max_chars: params.max_chars,
        };
        project.perform_trusted(context, |station, call| ci::run(station, call, &request)?.into_result())
    }
}
