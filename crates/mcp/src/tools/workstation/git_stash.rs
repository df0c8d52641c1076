//! `git_stash`: changes put aside.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitStash;

impl StationTool for GitStash {
    const ABOUT: About = About {
        name: "git_stash",
        title: "Git stash",
        description: "Put the changes of tracked files aside (push), take the latest back (pop), or list what is aside.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = git::Stash;
    type View = git::StashView;

    fn run(project: &Project, context: &Context, request: git::Stash) -> Result<git::StashView> {
        project.perform(context, |station, call| git::stash(station, call, &request))
    }
}
