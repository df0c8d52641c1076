//! `git_show`: a commit, or a file as it was.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args::page;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    /// Such as HEAD~1, a branch, or HEAD:src/main.rs
    revision: String,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl StationTool for GitShow {
    const ABOUT: About = About {
        name: "git_show",
        title: "Git show",
        description: "Show a commit with its diff, or `revision:path` for a file or folder as it was.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = Params;
    type View = git::ShowView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::ShowView> {
        let request = git::Show {
            repo: params.repo,
            revision: params.revision,
            page: page(params.limit, params.cursor, params.max_chars),
        };
        project.perform(context, |station, call| git::show(station, call, &request))
    }
}
