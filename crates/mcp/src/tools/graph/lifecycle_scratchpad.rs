//! `specman_lifecycle_scratchpad`: plan a scratch pad.

use std::collections::BTreeMap;

use hewto_engine::artifact::{self, Profile, ScratchRequest};
use hewto_engine::view::ScratchPadPlan;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::args::{TargetParam, WithDocument};
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct LifecycleScratchpad;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    profile: Profile,
    name: String,
    /// What the work is about: a handle or path, or {kind, name}
    target: TargetParam,
    tokens: Option<BTreeMap<String, Value>>,
    /// Fragments of the headings that are revised, refactored or fixed
    headings: Option<Vec<String>>,
}

impl Tool for LifecycleScratchpad {
    const ABOUT: About = About {
        name: "specman_lifecycle_scratchpad",
        title: "Plan a scratch pad",
        description: "Plan a scratch pad for one kind of work: feat, ref and fix are about an implementation, revision about a spec. Gives a plan_id for specman_lifecycle_create.",
        toolset: Toolset::Graph,
        effect: Effect::Reads,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.lifecycle.scratchpad",
        concept_ref: concept::LIFECYCLE_AUTOMATION,
        lock: |_| LockIntent::Read,
        world: World::Open,
        extensions: &[],
    });
    type Params = WithDocument<Params>;
    type View = ScratchPadPlan;

    fn run(workspace: &Workspace, context: &Context, params: Self::Params) -> Result<ScratchPadPlan> {
        let (params, shown) = params.split(ScratchPadPlan::compact);
        let request = ScratchRequest {
            profile: params.profile,
            name: params.name,
            target: params.target.into(),
            tokens: params.tokens.unwrap_or_default(),
            headings: params.headings.unwrap_or_default(),
        };
        artifact::plan_scratchpad(workspace, context, &request).map(shown)
    }
}
