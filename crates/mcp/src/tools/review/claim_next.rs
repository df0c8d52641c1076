//! `claim_next`: takes a piece of work.

use hewto_engine::claim::{self, ClaimRequest};
use hewto_engine::view::ClaimView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ClaimNext;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// This one; else the best that is ready and free
    spec_id: Option<String>,
    /// Only this step, by title
    step: Option<String>,
    #[schemars(range(min = 30, max = 3600))]
    lease_s: Option<u32>,
}

impl Tool for ClaimNext {
    const ABOUT: About = About {
        name: "claim_next",
        title: "Claim work",
        description: "Take the best work that is ready and free, or the item or step named. Nobody else gets it while the claim lasts; every write renews it. The server remembers your claims.",
        toolset: Toolset::Review,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ClaimView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ClaimView> {
        let request = ClaimRequest { item: params.spec_id, step: params.step, lease_s: params.lease_s };
        claim::next(workspace, context, &request)
    }
}
