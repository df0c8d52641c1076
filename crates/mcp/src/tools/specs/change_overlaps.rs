//! `change_overlaps`: requirements that several open changes touch.

use hewto_engine::view::OverlapsView;
use hewto_engine::{Context, Result, Workspace, change};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeOverlaps;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {}

impl Tool for ChangeOverlaps {
    const ABOUT: About = About {
        name: "change_overlaps",
        title: "Find overlapping changes",
        description: "Requirements that several open changes touch.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = OverlapsView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<OverlapsView> {
        let Params {} = params;
        change::overlaps(workspace, context)
    }
}
