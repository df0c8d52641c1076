//! `spec_status`: where one spec stands.

use hewto_call::Lane;
use hewto_engine::view::SpecStatusView;
use hewto_engine::{Context, Result, Workspace, spec};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfItem;

pub(crate) struct SpecStatus;

impl Tool for SpecStatus {
    const ABOUT: About = About {
        name: "spec_status",
        title: "Status of a spec",
        description: "A spec's state, phase, plan and build progress, and dependency counts.",
        toolset: Toolset::Workflow,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::ReadItem;
    type Params = OfItem;
    type View = SpecStatusView;

    fn run(workspace: &Workspace, context: &Context, params: OfItem) -> Result<SpecStatusView> {
        spec::status(workspace, context, &params.spec_id)
    }
}
