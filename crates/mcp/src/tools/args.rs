//! Parameters that tools of several toolsets share: what a request is about, and the page that is wanted of its answer.

use hewto_engine::PageRequest;
use schemars::JsonSchema;
use serde::Deserialize;

/// For a tool that takes nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// A request about a spec, or the spec alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct OfSpec<R = Nothing> {
    pub(crate) spec_id: String,
    #[serde(flatten)]
    pub(crate) request: R,
}

/// The same where it is worth saying that changes count too.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct OfItem<R = Nothing> {
    /// Spec id, or change:ID
    pub(crate) spec_id: String,
    #[serde(flatten)]
    pub(crate) request: R,
}

/// A request about a change.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct OfChange<R> {
    pub(crate) change_id: String,
    #[serde(flatten)]
    pub(crate) request: R,
}

/// A request whose answer comes in pages.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Paged<R = Nothing> {
    #[serde(flatten)]
    pub(crate) request: R,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl<R> Paged<R> {
    /// What is asked, and which part of the answer is wanted.
    pub(crate) fn split(self) -> (R, PageRequest) {
        let Self { request, limit, cursor, max_chars } = self;
        (request, PageRequest { limit, cursor, max_chars })
    }
}
