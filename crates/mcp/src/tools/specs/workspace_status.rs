//! `workspace_status`: where everything stands, at the start of work.

use hewto_engine::view::WorkspaceStatusView;
use hewto_engine::{Context, Result, Workspace, overview};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::Nothing;

pub(crate) struct WorkspaceStatus;

impl Tool for WorkspaceStatus {
    const ABOUT: About = About {
        name: "workspace_status",
        title: "Where things stand",
        description: "Start here: what is ready and why, what waits for a person, builds, overlaps, verdict, next call.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Nothing;
    type View = WorkspaceStatusView;

    fn run(workspace: &Workspace, context: &Context, _: Nothing) -> Result<WorkspaceStatusView> {
        overview::brief(workspace, context)
    }
}
