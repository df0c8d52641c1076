//! `git_add`: stage.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitAdd;

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
    type Params = git::Add;
    type View = git::AddView;

    fn run(project: &Project, context: &Context, request: git::Add) -> Result<git::AddView> {
        project.perform(context, |station, call| git::add(station, call, &request))
    }
}
