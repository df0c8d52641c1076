//! `list_specs`: the index of what is promised.

use hewto_engine::view::SpecCards;
use hewto_engine::{Context, PageRequest, Result, Workspace, requirement};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ListSpecs;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

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
    type Params = Params;
    type View = SpecCards;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecCards> {
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: params.max_chars };
        requirement::list_specs(workspace, context, &page)
    }
}
