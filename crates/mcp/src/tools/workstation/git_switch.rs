//! `git_switch`: another branch.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitSwitch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A folder of the repository; default the first root
    repo: Option<String>,
    name: String,
}

impl StationTool for GitSwitch {
    const ABOUT: About = About {
        name: "git_switch",
        title: "Git switch",
        description: "Go to an existing branch. Refused when changes here would be lost by it.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &["git_checkout"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = git::SwitchView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<git::SwitchView> {
        let request = git::Switch { repo: params.repo, name: params.name };
        project.perform(context, |station, call| git::switch(station, call, &request))
    }
}
