//! `git_switch`: another branch.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitSwitch;

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
    type Params = git::Switch;
    type View = git::SwitchView;

    fn run(project: &Project, context: &Context, request: git::Switch) -> Result<git::SwitchView> {
        project.perform(context, |station, call| git::switch(station, call, &request))
    }
}
