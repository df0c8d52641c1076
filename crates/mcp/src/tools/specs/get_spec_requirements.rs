//! `get_spec_requirements`: what one spec promises, without the scenarios.

use hewto_call::Lane;
use hewto_engine::view::RequirementCards;
use hewto_engine::{Context, PageRequest, Result, Workspace, requirement};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct GetSpecRequirements;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for GetSpecRequirements {
    const ABOUT: About = About {
        name: "get_spec_requirements",
        title: "List a spec's requirements",
        description: "List a spec's requirements and the names of their scenarios.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::ReadItem;
    type Params = Params;
    type View = RequirementCards;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<RequirementCards> {
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        requirement::of_spec(workspace, context, &params.spec_id, &page)
    }
}
