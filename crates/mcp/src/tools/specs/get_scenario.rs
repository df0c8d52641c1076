//! `get_scenario`: one scenario with its requirement.

use hewto_call::Lane;
use hewto_engine::view::ScenarioInContext;
use hewto_engine::{Context, Result, Workspace, requirement};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct GetScenario;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    /// Name or id
    requirement: String,
    scenario: Option<String>,
}

impl Tool for GetScenario {
    const ABOUT: About = About {
        name: "get_scenario",
        title: "Read a scenario",
        description: "Read one scenario and its requirement; without a name, the first.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::ReadItem;
    type Params = Params;
    type View = ScenarioInContext;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ScenarioInContext> {
        let scenario = params.scenario.as_deref();
        requirement::scenario(workspace, context, &params.spec_id, &params.requirement, scenario)
    }
}
