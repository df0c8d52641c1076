//! `git_status`: the branch and what has changed.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitStatus;

impl StationTool for GitStatus {
    const ABOUT: About = About {
        name: "git_status",
        title: "Git status",
        description: "Show the branch, its upstream, and what is staged, changed, untracked or in conflict.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_status"],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Status;
    type View = git::StatusView;

    fn run(project: &Project, context: &Context, request: git::Status) -> Result<git::StatusView> {
        project.perform(context, |station, call| git::status(station, call, &request))
    }
}
