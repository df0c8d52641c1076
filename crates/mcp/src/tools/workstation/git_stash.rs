//! `git_stash`: changes put aside.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitStash;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    #[schemars(schema_with = "args::stash_action")]
    action: git::StashAction,
    /// What to call it
    message: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitStash {
    const ABOUT: About = About {
        name: "git_stash",
        title: "Git stash",
        description: "Put the changes of tracked files aside (push), take the latest back (pop), or list what is aside.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = git::StashView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::StashView> {
        let request = git::Stash {
            repo: params.repo,
            action: params.action,
            message: params.message,
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::stash(station, call, &request))
    }
}
