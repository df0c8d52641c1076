//! `git_worktrees`: the work trees.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::page;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitWorktrees;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitWorktrees {
    const ABOUT: About = About {
        name: "git_worktrees",
        title: "Git work trees",
        description: "List the work trees of a repository, and whether the other tools can reach them.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::WorktreesView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::WorktreesView> {
        let request =
            git::Worktrees { repo: params.repo, page: page(params.limit, params.cursor, params.max_chars) };
        project.perform(context, |station, call| git::worktrees(station, call, &request))
    }
}
