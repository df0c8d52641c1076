//! `change_overlaps`: requirements that several open changes touch.

use hewto_engine::view::OverlapsView;
use hewto_engine::{Context, Result, Workspace, change};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::Nothing;

pub(crate) struct ChangeOverlaps;

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
    type Params = Nothing;
    type View = OverlapsView;

    fn run(workspace: &Workspace, context: &Context, _: Nothing) -> Result<OverlapsView> {
        change::overlaps(workspace, context)
    }
}
