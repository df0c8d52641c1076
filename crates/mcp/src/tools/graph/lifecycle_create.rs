//! `specman_lifecycle_create`: create a planned artifact.

use std::collections::BTreeMap;

use hewto_engine::artifact::{self, Run};
use hewto_engine::view::EnvelopeView;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct LifecycleCreate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    plan_id: String,
    /// More values for the template's tokens
    tokens: Option<BTreeMap<String, Value>>,
    dry_run: Option<bool>,
}

impl Tool for LifecycleCreate {
    const ABOUT: About = About {
        name: "specman_lifecycle_create",
        title: "Create a planned artifact",
        description: "Write what a plan of specman_lifecycle_plan_creation or _scratchpad says. Refused when something the plan saw has changed. dry_run checks without writing.",
        toolset: Toolset::Graph,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.lifecycle.create",
        concept_ref: concept::LIFECYCLE_AUTOMATION,
        lock: |_| LockIntent::Write,
        world: World::Open,
        extensions: &[],
    });
    type Params = Params;
    type View = EnvelopeView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<EnvelopeView> {
        let run = if params.dry_run.unwrap_or(false) { Run::Dry } else { Run::Real };
        artifact::create(workspace, context, &params.plan_id, params.tokens.unwrap_or_default(), run)
    }
}
