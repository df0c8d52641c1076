//! `git_add`: stage.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitAdd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    paths: Vec<String>,
}

impl StationTool for GitAdd {
    const ABOUT: About = About {
        name: "git_add",
        title: "Git add",
        description: "Stage the named files and folders, all of them or none. Paths are taken literally.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &["add"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = git::AddView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::AddView> {
        let request = git::Add { repo: params.repo, paths: params.paths };
        project.perform(context, |station, call| git::add(station, call, &request))
    }
}
