//! `context_for`: what to read before starting.

use hewto_engine::search::{self, ContextRequest};
use hewto_engine::view::ContextView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ContextFor;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The task, in words
    text: Option<String>,
    /// Paths you will touch
    files: Option<Vec<String>>,
    /// Most characters; default 6000
    #[schemars(range(min = 200, max = 100_000))]
    budget: Option<usize>,
}

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
    type Params = Params;
    type View = ContextView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ContextView> {
        let Params { text, files, budget } = params;
        let request = ContextRequest { text, files: files.unwrap_or_default(), budget };
        search::context_for(workspace, context, &request)
    }
}
