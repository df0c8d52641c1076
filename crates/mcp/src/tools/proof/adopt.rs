//! `adopt`: what the code shows and nobody has written down, drafted and promoted.

use hewto_engine::adopt::{self, AdoptReply, AdoptRequest};
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct Adopt;

impl Tool for Adopt {
    const ABOUT: About = About {
        name: "adopt",
        title: "Adopt code",
        description: "Drafts what the code shows (routes, commands, tables …) and no spec says, as one change of observed requirements. `list` only looks; `promote` takes the mark off requirements that you have described and links their code and tests.",
        toolset: Toolset::Proof,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = AdoptRequest;
    type View = AdoptReply;

    fn run(workspace: &Workspace, context: &Context, request: AdoptRequest) -> Result<AdoptReply> {
        adopt::answer(workspace, context, &request)
    }
}
