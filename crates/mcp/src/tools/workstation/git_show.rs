//! `git_show`: a commit, or a file as it was.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitShow;

impl StationTool for GitShow {
    const ABOUT: About = About {
        name: "git_show",
        title: "Git show",
        description: "Show a commit with its diff, or `revision:path` for a file or folder as it was.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Show;
    type View = git::ShowView;

    fn run(project: &Project, context: &Context, request: git::Show) -> Result<git::ShowView> {
        project.perform(context, |station, call| git::show(station, call, &request))
    }
}
