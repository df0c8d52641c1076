//! `git_commit`: commit what is staged.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitCommit;

impl StationTool for GitCommit {
    const ABOUT: About = About {
        name: "git_commit",
        title: "Git commit",
        description: "Commit what is staged. Hooks run only where the user has configured that; nothing is signed.",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &["commit"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = git::Commit;
    type View = git::CommitMadeView;

    fn run(project: &Project, context: &Context, request: git::Commit) -> Result<git::CommitMadeView> {
        project.perform_trusted(context, |station, call| git::commit(station, call, &request))
    }
}
