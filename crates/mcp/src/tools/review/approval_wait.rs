//! `approval_wait`: until a person has decided.

use std::time::Duration;

use hewto_call::Lane;
use hewto_engine::review::{self, Patience};
use hewto_engine::view::Waited;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ApprovalWait;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    /// Seconds, at most 25
    #[schemars(range(min = 0, max = 25))]
    #[expect(dead_code, reason = "the server waits between two looks, so that no thread has to")]
    wait_s: Option<u32>,
}

impl Tool for ApprovalWait {
    const ABOUT: About = About {
        name: "approval_wait",
        title: "Wait for a person's verdict",
        description: "Wait until a person has approved or refused what is there now, wherever they do it. Answers with the verdict, its note and the open comments; still pending: call it again.",
        toolset: Toolset::Review,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Read;
    type Params = Params;
    type View = Waited;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<Waited> {
        review::wait(workspace, context, &params.spec_id, Patience(Duration::ZERO))
    }
}
