//! `git_diff`: what has changed.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::page;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitDiff;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    /// What is staged instead of what is not
    staged: Option<bool>,
    /// A revision
    from: Option<String>,
    /// A revision
    to: Option<String>,
    paths: Option<Vec<String>>,
    /// Default 3
    #[schemars(range(min = 0, max = 1000))]
    context_lines: Option<u32>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitDiff {
    const ABOUT: About = About {
        name: "git_diff",
        title: "Git diff",
        description: "Show changes as a unified diff: unstaged, staged with staged: true, or between from and to (the work tree when to is left out).",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_diff", "git_diff_unstaged", "git_diff_staged"],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::DiffView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::DiffView> {
        let request = git::Diff {
            repo: params.repo,
            staged: params.staged == Some(true),
            from: params.from,
            to: params.to,
            paths: params.paths.unwrap_or_default(),
            context_lines: params.context_lines,
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::diff(station, call, &request))
    }
}
