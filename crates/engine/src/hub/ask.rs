//! Questions to the hub, whose answers are shown as they are.

use std::collections::BTreeSet;

use hewto_store::Context;
use serde_json::Value;

use super::{Link, escaped};
use crate::error::Result;
use crate::view::WhyView;
use crate::workspace::Workspace;

/// What is looked for across repositories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HubSearch {
    pub text: String,
    pub kind: Option<String>,
    pub limit: usize,
}

/// `hewto status --hub`: every repository that is open to this person, overlaps, and who works on what.
pub fn status(ws: &Workspace, ctx: &Context) -> Result<Value> {
    Link::needed(ws, ctx)?.get("status")
}

/// `hewto search --hub`: who already promises this, anywhere.
pub fn search(ws: &Workspace, ctx: &Context, query: &HubSearch) -> Result<Value> {
    let link = Link::needed(ws, ctx)?;
    let kind = query.kind.as_deref().map(|kind| format!("&kind={}", escaped(kind))).unwrap_or_default();
    link.get(&format!("search?q={}&limit={}{kind}", escaped(&query.text), query.limit))
}

/// `hewto why --hub`: what else touches the specs that govern a file, and what depends on them in other repositories.
pub fn touching(ws: &Workspace, ctx: &Context, why: &WhyView) -> Result<Value> {
    let link = Link::needed(ws, ctx)?;
    let governors = why.governed_by.iter().filter_map(|one| one.artifact.handle.strip_prefix("spec://"));
    let promises = why.promises.iter().map(|link| link.reference.capability());
    let specs: BTreeSet<&str> = governors.chain(promises).collect();
    let repo = escaped(&link.repo);
    let found: Value = link.get(&format!("overlaps?repo={repo}"))?;
    let concerns = |one: &&Value| one["capability"].as_str().is_some_and(|id| specs.contains(id));
    let overlaps: Vec<Value> =
        found["overlaps"].as_array().into_iter().flatten().filter(concerns).cloned().collect();
    let mut edges = Vec::new();
    for id in specs {
        let found: Value = link.get(&format!("edges?repo={repo}&item={}", escaped(id)))?;
        edges.extend(found["edges"].as_array().into_iter().flatten().cloned());
    }
    Ok(serde_json::json!({ "repo": link.repo, "overlaps": overlaps, "edges": edges }))
}
