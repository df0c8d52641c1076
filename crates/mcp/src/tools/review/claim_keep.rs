//! `claim_keep`: renews a claim, or gives it back.

use hewto_engine::claim::{self, Keep};
use hewto_engine::view::ClaimView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ClaimKeep;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Params {
    claim: u64,
    #[serde(flatten)]
    keep: Keep,
}

impl Tool for ClaimKeep {
    const ABOUT: About = About {
        name: "claim_keep",
        title: "Keep or release a claim",
        description: "Renew a claim, or give it back with release: true and a note. Do it as soon as the work is done or you cannot go on.",
        toolset: Toolset::Review,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = ClaimView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ClaimView> {
        claim::keep(workspace, context, params.claim, &params.keep)
    }
}
