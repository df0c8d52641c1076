//! `validate_change`: a verdict on one change or all.

use hewto_engine::check::{self, Strictness};
use hewto_engine::view::VerdictView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ValidateChange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: Option<String>,
    strict: Option<bool>,
}

impl Tool for ValidateChange {
    const ABOUT: About = About {
        name: "validate_change",
        title: "Validate changes",
        description: "Judge one open change, or all, as archive would. With strict, warnings count.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = VerdictView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<VerdictView> {
        let strictness = Strictness::from(params.strict == Some(true));
        check::validate_change(workspace, context, params.change_id.as_deref(), strictness)
    }
}
