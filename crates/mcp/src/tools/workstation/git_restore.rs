//! `git_restore`: unstage.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitRestore;

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
    type Params = git::Restore;
    type View = git::RestoreView;

    fn run(project: &Project, context: &Context, request: git::Restore) -> Result<git::RestoreView> {
        project.perform(context, |station, call| git::restore(station, call, &request))
    }
}
