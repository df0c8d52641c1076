//! `get_requirement`: one requirement whole.

use hewto_call::Lane;
use hewto_engine::view::RequirementInContext;
use hewto_engine::{Context, Result, Workspace, requirement};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct GetRequirement;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    /// Name or id
    requirement: String,
}

impl Tool for GetRequirement {
    const ABOUT: About = About {
        name: "get_requirement",
        title: "Read a requirement",
        description: "Read one requirement: text, scenarios, raw Markdown to edit and send as modified.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::ReadItem;
    type Params = Params;
    type View = RequirementInContext;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<RequirementInContext> {
        requirement::show(workspace, context, &params.spec_id, &params.requirement)
    }
}
