//! `specman_lifecycle_plan_creation`: plan a new artifact.

use std::collections::BTreeMap;

use hewto_engine::artifact::{self, CreationRequest};
use hewto_engine::view::CreationPlan;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::args::{NamedTarget, WithDocument};
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct LifecyclePlanCreation;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What to make
    target: NamedTarget,
    /// A template path, https address or embedded://name (default: the workspace's)
    template: Option<String>,
    /// Values for the template's tokens, inserted literally
    tokens: Option<BTreeMap<String, Value>>,
    /// Keys of the front matter: spec, primary_language, references, dependencies, target, work_type
    front_matter: Option<Map<String, Value>>,
}

impl Tool for LifecyclePlanCreation {
    const ABOUT: About = About {
        name: "specman_lifecycle_plan_creation",
        title: "Plan a new artifact",
        description: "Render a new spec, implementation or scratch pad and check its name, references and tokens, without writing it. Gives a plan_id for specman_lifecycle_create, good for 30 minutes.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.lifecycle.plan_creation",
        concept_ref: concept::LIFECYCLE_AUTOMATION,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: &[],
    });
    type Params = WithDocument<Params>;
    type View = CreationPlan;

    fn run(workspace: &Workspace, context: &Context, params: Self::Params) -> Result<CreationPlan> {
        let (params, shown) = params.split(CreationPlan::compact);
        let (kind, name) = params.target.into_parts();
        let request = CreationRequest {
            kind,
            name,
            template: params.template,
            tokens: params.tokens.unwrap_or_default(),
            front_matter: params.front_matter.unwrap_or_default(),
        };
        artifact::plan_creation(workspace, context, &request).map(shown)
    }
}
