//! `validate_spec`: a verdict on one spec or all.

use hewto_engine::check::{self, Strictness};
use hewto_engine::view::VerdictView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ValidateSpec;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: Option<String>,
    strict: Option<bool>,
}

impl Tool for ValidateSpec {
    const ABOUT: About = About {
        name: "validate_spec",
        title: "Validate specs",
        description: "Judge one spec, or all: errors and warnings. With strict, warnings count.",
        toolset: Toolset::Specs,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = Params;
    type View = VerdictView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<VerdictView> {
        let strictness = Strictness::from(params.strict == Some(true));
        check::validate_spec(workspace, context, params.spec_id.as_deref(), strictness)
    }
}
