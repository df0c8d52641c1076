//! `git_diff`: what has changed.

use hewto_call::Lane;
use hewto_engine::workstation::git;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct GitDiff;

impl StationTool for GitDiff {
    const ABOUT: About = About {
        name: "git_diff",
        title: "Git diff",
        description: "Show changes as a unified diff: unstaged, staged with staged: true, or between from and to (the work tree when to is left out).",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_diff", "git_diff_unstaged", "git_diff_staged"],
    };
    const LANE: Lane = Lane::Git;
    type Params = git::Diff;
    type View = git::DiffView;

    fn run(project: &Project, context: &Context, request: git::Diff) -> Result<git::DiffView> {
        project.perform(context, |station, call| git::diff(station, call, &request))
    }
}
