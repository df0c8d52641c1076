//! `list_specs`: the index of what is promised.

use hewto_engine::view::SpecCards;
use hewto_engine::{Context, Result, Workspace, requirement};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::{Nothing, Paged};

pub(crate) struct ListSpecs;

impl Tool for ListSpecs {
    const ABOUT: About = About {
        name: "list_specs",
        title: "List specs and purposes",
        description: "List specs with title and purpose. For states use spec_list.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Paged;
    type View = SpecCards;

    fn run(workspace: &Workspace, context: &Context, params: Paged) -> Result<SpecCards> {
        let (Nothing {}, page) = params.split();
        requirement::list_specs(workspace, context, &page)
    }
}
