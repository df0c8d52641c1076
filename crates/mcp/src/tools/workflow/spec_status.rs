//! `spec_status`: where one spec stands.

use hewto_call::Lane;
use hewto_engine::view::SpecStatusView;
use hewto_engine::{Context, Result, Workspace, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Spec id, or change:ID
    spec_id: String,
}

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
    type Params = Params;
    type View = SpecStatusView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecStatusView> {
        spec::status(workspace, context, &params.spec_id)
    }
}
