//! `git_worktrees`: the work trees.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitWorktrees;

impl StationTool for GitWorktrees {
    const ABOUT: About = About {
        name: "git_worktrees",
        title: "Git work trees",
        description: "List the work trees of a repository, and whether the other tools can reach them.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Worktrees;
    type View = git::WorktreesView;

    fn run(project: &Project, context: &Context, request: git::Worktrees) -> Result<git::WorktreesView> {
        project.perform(context, |station, call| git::worktrees(station, call, &request))
    }
}
