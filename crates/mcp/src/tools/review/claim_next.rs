//! `claim_next`: takes a piece of work.

use hewto_engine::claim::{self, ClaimRequest};
use hewto_engine::view::ClaimView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ClaimNext;

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
    type Params = ClaimRequest;
    type View = ClaimView;

    fn run(workspace: &Workspace, context: &Context, request: ClaimRequest) -> Result<ClaimView> {
        claim::next(workspace, context, &request)
    }
}
