//! `git_log`: the commits.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::page;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitLog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    author: Option<String>,
    /// In the message
    grep: Option<String>,
    /// A date, or such as `2 weeks ago`
    since: Option<String>,
    until: Option<String>,
    paths: Option<Vec<String>>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitLog {
    const ABOUT: About = About {
        name: "git_log",
        title: "Git log",
        description: "List commits, newest first, filtered by author, message (grep), date and paths.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_log"],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::LogView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::LogView> {
        let request = git::Log {
            repo: params.repo,
            author: params.author,
            grep: params.grep,
            since: params.since,
            until: params.until,
            paths: params.paths.unwrap_or_default(),
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::log(station, call, &request))
    }
}
