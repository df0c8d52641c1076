//! `specman_lifecycle_delete`: delete a planned artifact.

use hewto_engine::artifact::{self, Force};
use hewto_engine::view::EnvelopeView;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct LifecycleDelete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    plan_id: String,
    /// Delete although others need it
    force: Option<bool>,
}

impl Tool for LifecycleDelete {
    const ABOUT: About = About {
        name: "specman_lifecycle_delete",
        title: "Delete a planned artifact",
        description: "Delete the folder of an artifact as planned by specman_lifecycle_plan_deletion. Refused while others need it, unless force is set, which is recorded.",
        toolset: Toolset::Graph,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.lifecycle.delete",
        concept_ref: concept::LIFECYCLE_AUTOMATION,
        lock: |_| LockIntent::Write,
        world: World::Closed,
        extensions: &[],
    });
    type Params = Params;
    type View = EnvelopeView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<EnvelopeView> {
        let force = if params.force.unwrap_or(false) { Force::Yes } else { Force::No };
        artifact::delete(workspace, context, &params.plan_id, force)
    }
}
