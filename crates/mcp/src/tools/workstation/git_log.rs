//! `git_log`: the commits.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitLog;

impl StationTool for GitLog {
    const ABOUT: About = About {
        name: "git_log",
        title: "Git log",
        description: "List commits, newest first, filtered by author, message (grep), date and paths.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_log"],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Log;
    type View = git::LogView;

    fn run(project: &Project, context: &Context, request: git::Log) -> Result<git::LogView> {
        project.perform(context, |station, call| git::log(station, call, &request))
    }
}
