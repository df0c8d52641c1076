//! `change_diff`: what a change does, in words.

use hewto_engine::view::DiffView;
use hewto_engine::{Context, DEFAULT_MAX_CHARS, Result, Workspace, change};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeDiff;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: String,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for ChangeDiff {
    const ABOUT: About = About {
        name: "change_diff",
        title: "Show what a change does",
        description: "What a change would do to the specs, in requirements and scenarios.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = DiffView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<DiffView> {
        let max_chars = params.max_chars.unwrap_or(DEFAULT_MAX_CHARS);
        change::diff(workspace, context, &params.change_id, max_chars)
    }
}
