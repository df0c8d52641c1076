//! `git_blame`: who wrote which line.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::page;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitBlame;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    path: String,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitBlame {
    const ABOUT: About = About {
        name: "git_blame",
        title: "Git blame",
        description: "Show who last changed each line of a file, in runs of lines of one commit.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::BlameView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::BlameView> {
        let request = git::Blame {
            repo: params.repo,
            path: params.path,
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::blame(station, call, &request))
    }
}
