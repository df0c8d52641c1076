//! `adopt`: what the code shows and nobody has written down, drafted and promoted.

use hewto_engine::adopt::{self, AdoptReply, AdoptRequest};
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct Adopt;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// The inventory alone; writes nothing
    list: Option<bool>,
    /// Only this kind of the inventory: route, command, flag, function, table, variable, job, test
    kind: Option<String>,
    /// At most so many of the inventory (100)
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Observed requirements that are described now, as `capability#requirement`
    promote: Option<Vec<String>>,
}

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
    type Params = Params;
    type View = AdoptReply;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<AdoptReply> {
        let request = AdoptRequest {
            list: params.list.unwrap_or_default(),
            kind: params.kind,
            limit: params.limit,
            promote: params.promote.unwrap_or_default(),
        };
        adopt::answer(workspace, context, &request)
    }
}
