//! `spec_transition`: moves a spec to another lifecycle state.

use hewto_engine::view::SpecTransitioned;
use hewto_engine::{Context, Lifecycle, Result, Workspace, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecTransition;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// Spec id, or change:ID
    spec_id: String,
    #[schemars(schema_with = "args::lifecycle")]
    to_state: Lifecycle,
    /// Kept with the state
    reason: Option<String>,
}

impl Tool for SpecTransition {
    const ABOUT: About = About {
        name: "spec_transition",
        title: "Move a spec",
        description: "Move a spec: draft > active > done, blocked, cancelled; blocked > active; done, cancelled > archived. build_* do so themselves.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = SpecTransitioned;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<SpecTransitioned> {
        spec::transition(workspace, context, &params.spec_id, params.to_state, params.reason.as_deref())
    }
}
