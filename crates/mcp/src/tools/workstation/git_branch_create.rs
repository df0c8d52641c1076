//! `git_branch_create`: a new branch.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitBranchCreate;

impl StationTool for GitBranchCreate {
    const ABOUT: About = About {
        name: "git_branch_create",
        title: "Git new branch",
        description: "Make a branch at HEAD or at from, without going to it (git_switch does).",
        toolset: Toolset::Workstation,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &["git_create_branch"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = git::BranchCreate;
    type View = git::BranchCreatedView;

    fn run(
        project: &Project,
        context: &Context,
        request: git::BranchCreate,
    ) -> Result<git::BranchCreatedView> {
        project.perform(context, |station, call| git::branch_create(station, call, &request))
    }
}
