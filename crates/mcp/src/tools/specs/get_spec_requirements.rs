//! `get_spec_requirements`: what one spec promises, without the scenarios.

use hewto_call::Lane;
use hewto_engine::view::RequirementCards;
use hewto_engine::{Context, Result, Workspace, requirement};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::{OfSpec, Paged};

pub(crate) struct GetSpecRequirements;

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
    type Params = Paged<OfSpec>;
    type View = RequirementCards;

    fn run(workspace: &Workspace, context: &Context, params: Paged<OfSpec>) -> Result<RequirementCards> {
        let (of, page) = params.split();
        requirement::of_spec(workspace, context, &of.spec_id, &page)
    }
}
