//! `git_branches`: the branches.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::{self, page};
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitBranches;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    /// Default all
    #[serde(default)]
    #[schemars(schema_with = "args::branch_kind")]
    kind: Option<git::BranchKind>,
    /// Only those with this commit
    contains: Option<String>,
    /// Only those without it
    not_contains: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitBranches {
    const ABOUT: About = About {
        name: "git_branches",
        title: "Git branches",
        description: "List branches with their commits and upstreams, and name the current one.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["list_branches", "git_branch", "get_current_branch"],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::BranchesView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::BranchesView> {
        let request = git::Branches {
            repo: params.repo,
            kind: params.kind.unwrap_or_default(),
            contains: params.contains,
            not_contains: params.not_contains,
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::branches(station, call, &request))
    }
}
