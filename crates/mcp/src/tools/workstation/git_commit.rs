//! `git_commit`: commit what is staged.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitCommit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    message: String,
}

impl StationTool for GitCommit {
    const ABOUT: About = About {
        name: "git_commit",
        title: "Git commit",
        description: "Commit what is staged. Hooks run only where the user has configured that; nothing is signed.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &["commit"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = git::CommitMadeView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::CommitMadeView> {
        let request = git::Commit { repo: params.repo, message: params.message };
        project.perform_trusted(context, |station, call| git::commit(station, call, &request))
    }
}
