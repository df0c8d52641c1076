//! `proof_status`: which promises hold.

use hewto_engine::proof::{StatusQuery, status};
use hewto_engine::view::MatrixView;
use hewto_engine::{Context, PageRequest, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ProofStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A spec, or change:ID
    spec_id: Option<String>,
    /// capability#requirement/scenario
    #[serde(rename = "ref")]
    reference: Option<String>,
    state: Option<String>,
    /// A git revision
    since: Option<String>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
}

impl Tool for ProofStatus {
    const ABOUT: About = About {
        name: "proof_status",
        title: "Which promises hold",
        description: "Each scenario with its code, its test, the last result and its state (uncovered, failed, stale, verified, …), what is red first, and the `tag` line that links a test.",
        toolset: Toolset::Proof,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = MatrixView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<MatrixView> {
        let page = PageRequest { limit: params.limit, cursor: params.cursor, max_chars: None };
        let query = StatusQuery {
            item: params.spec_id,
            reference: params.reference,
            state: params.state,
            since: params.since,
            page,
        };
        status(workspace, context, &query)
    }
}
