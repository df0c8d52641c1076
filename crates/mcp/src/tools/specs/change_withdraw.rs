//! `change_withdraw`: ends a change that is not wanted after all.

use hewto_engine::view::ChangeWithdrawn;
use hewto_engine::{Context, Result, Workspace, change};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ChangeWithdraw;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: String,
    reason: String,
}

impl Tool for ChangeWithdraw {
    const ABOUT: About = About {
        name: "change_withdraw",
        title: "Withdraw a change",
        description: "End an open change unapplied; archived with the reason.",
        toolset: Toolset::Specs,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ChangeWithdrawn;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ChangeWithdrawn> {
        change::withdraw(workspace, context, &params.change_id, &params.reason)
    }
}
