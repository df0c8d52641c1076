//! `git_restore`: unstage.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitRestore;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    paths: Vec<String>,
}

impl StationTool for GitRestore {
    const ABOUT: About = About {
        name: "git_restore",
        title: "Git unstage",
        description: "Take the named paths out of the index again. The files themselves stay as they are.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &["git_reset"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = git::RestoreView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::RestoreView> {
        let request = git::Restore { repo: params.repo, paths: params.paths };
        project.perform(context, |station, call| git::restore(station, call, &request))
    }
}
