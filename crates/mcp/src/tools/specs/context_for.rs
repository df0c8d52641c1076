//! `context_for`: what to read before starting.

use hewto_engine::search::{self, ContextRequest};
use hewto_engine::view::ContextView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ContextFor;

impl Tool for ContextFor {
    const ABOUT: About = About {
        name: "context_for",
        title: "Context for a task",
        description: "Read before you start: requirements, decisions and open changes that bear on a task or files.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = ContextRequest;
    type View = ContextView;

    fn run(workspace: &Workspace, context: &Context, request: ContextRequest) -> Result<ContextView> {
        search::context_for(workspace, context, &request)
    }
}
