//! `proof_links`: every tag and what it stands at.

use hewto_engine::proof::{LinkQuery, links};
use hewto_engine::view::LinksView;
use hewto_engine::{Context, PageRequest, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ProofLinks;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// A file or folder
    path: Option<String>,
    /// Only what is wrong
    problems: Option<bool>,
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    cursor: Option<String>,
}

impl Tool for ProofLinks {
    const ABOUT: About = About {
        name: "proof_links",
        title: "Links to promises",
        description: "Where code and tests are linked to scenarios (`@spec` tags), by reference or by file, and which links are wrong.",
        toolset: Toolset::Proof,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = LinksView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<LinksView> {
        let page = Some(PageRequest { limit: params.limit, cursor: params.cursor, max_chars: None });
        let problems = params.problems.unwrap_or_default();
        links(
            workspace,
            context,
            &LinkQuery { reference: params.reference, path: params.path, problems, page },
        )
    }
}
