//! `proof_links`: every tag and what it stands at.

use hewto_engine::proof::{LinkQuery, links};
use hewto_engine::view::LinksView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ProofLinks;

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
    type Params = LinkQuery;
    type View = LinksView;

    fn run(workspace: &Workspace, context: &Context, query: LinkQuery) -> Result<LinksView> {
        links(workspace, context, &query)
    }
}
