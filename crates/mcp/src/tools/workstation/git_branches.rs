//! `git_branches`: the branches.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitBranches;

impl StationTool for GitBranches {
    const ABOUT: About = About {
        name: "git_branches",
        title: "Git branches",
        description: "List branches with their commits and upstreams, and name the current one.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["list_branches", "git_branch", "get_current_branch"],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Branches;
    type View = git::BranchesView;

    fn run(project: &Project, context: &Context, request: git::Branches) -> Result<git::BranchesView> {
        project.perform(context, |station, call| git::branches(station, call, &request))
    }
}
