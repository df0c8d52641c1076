//! Finding requirements by meaning. The index comes with the search toolset; until it is built, a search says so.

use hewto_store::Context;

use crate::error::{Error, Kind, Result};
use crate::text;
use crate::view::SearchView;
use crate::workspace::Workspace;

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    pub query: String,
    pub limit: Option<usize>,
    pub threshold: Option<f64>,
}

/// `search_specs`: refuses without an index.
pub fn search(ws: &Workspace, ctx: &Context, request: &SearchRequest) -> Result<SearchView> {
    ctx.check()?;
    text::required("query", &request.query)?;
    Err(Error::new(
        Kind::Refused,
        "index_missing",
        None,
        format!("there is no search index in `{}`", ws.layout().places().cache),
    )
    .hint("run `hewto index build`; all other tools work without one"))
}
