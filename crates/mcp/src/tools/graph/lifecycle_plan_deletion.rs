//! `specman_lifecycle_plan_deletion`: plan a deletion.

use hewto_engine::view::DeletionPlan;
use hewto_engine::{Context, LockIntent, Result, Workspace, artifact, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use super::HANDLES;
use super::args::TargetParam;
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct LifecyclePlanDeletion;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A handle or path, or {kind, name}
    target: TargetParam,
}

impl Tool for LifecyclePlanDeletion {
    const ABOUT: About = About {
        name: "specman_lifecycle_plan_deletion",
        title: "Plan a deletion",
        description: "Say what deleting an artifact would remove and who still needs it. Gives a plan_id for specman_lifecycle_delete.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.lifecycle.plan_deletion",
        concept_ref: concept::LIFECYCLE_AUTOMATION,
        lock: |_| LockIntent::Read,
        world: World::Closed,
        extensions: HANDLES,
    });
    type Params = Params;
    type View = DeletionPlan;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<DeletionPlan> {
        artifact::plan_deletion(workspace, context, &params.target.into())
    }
}
