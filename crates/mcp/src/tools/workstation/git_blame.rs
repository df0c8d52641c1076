//! `git_blame`: who wrote which line.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitBlame;

impl StationTool for GitBlame {
    const ABOUT: About = About {
        name: "git_blame",
        title: "Git blame",
        description: "Show who last changed each line of a file, in runs of lines of one commit.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Blame;
    type View = git::BlameView;

    fn run(project: &Project, context: &Context, request: git::Blame) -> Result<git::BlameView> {
        project.perform(context, |station, call| git::blame(station, call, &request))
    }
}
