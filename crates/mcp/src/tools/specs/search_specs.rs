//! `search_specs`: requirements by meaning.

use hewto_engine::search::{self, SearchRequest};
use hewto_engine::view::SearchView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SearchSpecs;

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
    type Params = SearchRequest;
    type View = SearchView;

    fn run(workspace: &Workspace, context: &Context, request: SearchRequest) -> Result<SearchView> {
        search::search(workspace, context, &request)
    }
}
