//! `search_specs`: requirements by meaning.

use hewto_engine::search::{self, SearchRequest};
use hewto_engine::view::SearchView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SearchSpecs;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    query: String,
    /// Default 10
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// Least score
    #[schemars(range(min = 0.0, max = 1.0))]
    threshold: Option<f64>,
}

impl Tool for SearchSpecs {
    const ABOUT: About = About {
        name: "search_specs",
        title: "Search specs",
        description: "Find the requirements that bear on a question, best first, each with spec_id, requirement, score and snippet.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = SearchView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SearchView> {
        let request = SearchRequest { query: params.query, limit: params.limit, threshold: params.threshold };
        search::search(workspace, context, &request)
    }
}
