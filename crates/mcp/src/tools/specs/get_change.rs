//! `get_change`: a change proposal in full.

use hewto_engine::change::{self, ShowOptions};
use hewto_engine::view::ChangeView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfChange;

pub(crate) struct GetChange;

impl Tool for GetChange {
    const ABOUT: About = About {
        name: "get_change",
        title: "Read a change",
        description: "Read a change, whole or one section.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = OfChange<ShowOptions>;
    type View = ChangeView;

    fn run(workspace: &Workspace, context: &Context, params: OfChange<ShowOptions>) -> Result<ChangeView> {
        change::show(workspace, context, &params.change_id, &params.request)
    }
}
