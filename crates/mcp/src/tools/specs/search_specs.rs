//! `search_specs`: requirements by meaning.

use hewto_engine::search::{self, Ranker, SearchRequest};
use hewto_engine::view::SearchView;
use hewto_engine::{Context, Result, Workspace};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::options::Toolset;
use crate::schema::one_of;
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
    /// Default fused
    #[serde(default)]
    #[schemars(schema_with = "modes")]
    mode: Option<String>,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    one_of(Ranker::ALL.map(Ranker::as_str))
}

impl Tool for SearchSpecs {
    const ABOUT: About = About {
        name: "search_specs",
        title: "Search specs",
        description: "Find the requirements that bear on a question, best first.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = SearchView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SearchView> {
        let Params { query, limit, threshold, mode } = params;
        let ranker = mode.as_deref().and_then(Ranker::parse).unwrap_or_default();
        search::search(workspace, context, &SearchRequest { query, limit, threshold, ranker })
    }
}
