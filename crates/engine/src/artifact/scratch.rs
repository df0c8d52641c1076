//! `lifecycle.scratchpad`: plans a scratch pad for one kind of work.

use std::collections::BTreeMap;

use hewto_core::artifact::{ArtifactKind, Profile};
use hewto_store::Context;
use serde_json::{Map, Value, json};

use super::creation::plan_creation;
use super::request::CreationRequest;
use crate::error::{Error, Result};
use crate::graph::{ArtifactRef, load, resolve_ref};
use crate::view::{ScratchPadPlan, ScratchProfile};
use crate::workspace::Workspace;

/// What the scratch pad is for.
#[derive(Debug, Clone, PartialEq)]
pub struct ScratchRequest {
    pub profile: Profile,
    pub name: String,
    pub target: ArtifactRef,
    pub tokens: BTreeMap<String, Value>,
    pub headings: Vec<String>,
}

/// Renders a scratch pad and keeps the plan; `lifecycle.create` writes it.
pub fn plan_scratchpad(ws: &Workspace, ctx: &Context, request: &ScratchRequest) -> Result<ScratchPadPlan> {
    let profile = request.profile;
    let graph = load(ws, ctx)?;
    let target = match &request.target {
        ArtifactRef::Locator(locator) => locator.clone(),
        named @ ArtifactRef::Named { .. } => graph.node(resolve_ref(ws, &graph, named)?).handle.clone(),
    };
    let work_type = profile.work_type();
    let mut payload = Map::new();
    match (work_type.headings_key(), request.headings.is_empty()) {
        (Some(key), _) => {
            payload.insert(key.to_owned(), json!(request.headings));
        }
        (None, true) => {}
        (None, false) => {
            return Err(Error::invalid_argument(
                "headings",
                "no headings",
                format!("`{}` is not about headings", profile.as_str()),
            )
            .hint("leave `headings` out"));
        }
    }
    let front_matter = Map::from_iter([
        ("target".to_owned(), json!(target)),
        ("work_type".to_owned(), json!({ work_type.as_str(): payload })),
    ]);
    let creation = CreationRequest {
        kind: ArtifactKind::ScratchPad,
        name: request.name.clone(),
        template: None,
        tokens: request.tokens.clone(),
        front_matter,
    };
    let plan = plan_creation(ws, ctx, &creation)?;
    Ok(ScratchPadPlan {
        profile: ScratchProfile {
            kind: profile.as_str().to_owned(),
            name: request.name.clone(),
            template: plan.rendered.provenance.locator.clone(),
            provenance: plan.rendered.provenance.clone(),
            configuration: payload,
        },
        plan,
    })
}
