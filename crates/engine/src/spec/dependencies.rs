//! Dependencies between specs: checking the ones that are given, and telling how they stand.

use std::collections::BTreeSet;

use hewto_core::artifact::{ReferenceTarget, resolve};
use hewto_core::graph::DependencyGraph;
use hewto_core::id::{SpecId, WorkItem};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::schema::unstated;
use hewto_core::spec::{Dependency, DependencyKind};
use hewto_store::{Context, Snapshot, SpecEntry, StateRead};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::error::{Error, Result};
use crate::item::{Item, parse_spec_id, spec_not_found};
use crate::spec::{lifecycle, schema};
use crate::view::{DependenciesView, DependencyEntry};
use crate::workspace::Workspace;

/// A dependency as somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "")]
pub struct DependencyInput {
    pub spec_id: String,
    /// hard blocks the build; default soft
    #[serde(default)]
    #[schemars(schema_with = "schema::dependency_kinds", skip_serializing_if = "unstated")]
    pub kind: DependencyKind,
}

/// Checks dependencies that are to be written: well-formed, there, not the spec itself, each once.
pub(super) fn resolve_inputs(
    ws: &Workspace,
    ctx: &Context,
    owner: Option<&SpecId>,
    inputs: &[DependencyInput],
) -> Result<Vec<Dependency>> {
    let mut seen = BTreeSet::new();
    let mut dependencies = Vec::with_capacity(inputs.len());
    for input in inputs {
        let id = parse_spec_id("dependencies", &input.spec_id)?;
        if owner == Some(&id) {
            return Err(Error::validation(format!("`{id}` cannot depend on itself"))
                .detail("spec_id", id.as_str())
                .hint("leave it out of `dependencies`"));
        }
        if !seen.insert(id.clone()) {
            return Err(Error::validation(format!("`{id}` is named twice in `dependencies`"))
                .detail("spec_id", id.as_str())
                .hint("name each dependency once"));
        }
        if ws.store().entry(ctx, &id)?.is_none() {
            return Err(spec_not_found(ws, ctx, id.as_str()));
        }
        dependencies.push(Dependency::new(id.as_str(), input.kind));
    }
    Ok(dependencies)
}

/// Refuses dependencies that would close a circle, showing the chain.
pub(super) fn refuse_cycle(
    ws: &Workspace,
    ctx: &Context,
    owner: &SpecId,
    dependencies: &[Dependency],
) -> Result<()> {
    if dependencies.is_empty() {
        return Ok(());
    }
    let snapshot = ws.store().snapshot(ctx)?;
    let mut graph = DependencyGraph::default();
    for entry in snapshot.specs.iter().filter(|entry| entry.id != *owner) {
        for dependency in &entry.head.dependencies {
            if let Some(target) = target_id(dependency) {
                graph.add(entry.id.as_str(), target.as_str());
            }
        }
    }
    for dependency in dependencies {
        if let Some(chain) = graph.cycle_through(owner.as_str(), &dependency.target) {
            return Err(Error::validation(format!("this closes a circle: {}", chain.join(" → ")))
                .detail("chain", json!(chain))
                .hint("leave out one of the dependencies in the chain"));
        }
    }
    Ok(())
}

/// `spec_check_dependencies`: how each dependency of a spec stands.
pub fn check_dependencies(ws: &Workspace, ctx: &Context, id: &str) -> Result<DependenciesView> {
    standing(ws, ctx, &Item::load(ws, ctx, id)?)
}

/// How the dependencies of an item stand; a change has none.
pub(crate) fn standing(ws: &Workspace, ctx: &Context, item: &Item) -> Result<DependenciesView> {
    let dependencies = item.spec().map_or(&[][..], |spec| &spec.head.dependencies);
    standing_of(ws, ctx, &item.id, dependencies)
}

/// The same for what an item is known to depend on.
pub(super) fn standing_of(
    ws: &Workspace,
    ctx: &Context,
    item: &WorkItem,
    dependencies: &[Dependency],
) -> Result<DependenciesView> {
    let mut entries = Vec::new();
    let mut blocking = Vec::new();
    let mut unresolved = 0;
    for dependency in dependencies {
        let reference = is_reference(dependency);
        let target = match target_id(dependency) {
            Some(id) if !reference => Some(id),
            known => referred(ws, ctx, item, dependency)?.or(known),
        };
        let name = target.as_ref().map_or_else(|| dependency.target.clone(), ToString::to_string);
        let entry = match &target {
            Some(id) => ws.store().entry(ctx, id)?,
            None => None,
        };
        let external = is_external(dependency);
        let state = match &entry {
            None if external => "external".to_owned(),
            None => "missing".to_owned(),
            Some(entry) => match &entry.state {
                // What another tool keeps without a lifecycle holds.
                StateRead::Absent if reference => "living".to_owned(),
                StateRead::Absent => Lifecycle::Draft.to_string(),
                StateRead::Valid(state) => state.lifecycle.to_string(),
                StateRead::Broken(_) => "unreadable".to_owned(),
            },
        };
        let satisfied = match entry.as_ref().map(|entry| &entry.state) {
            Some(StateRead::Absent) => reference,
            Some(StateRead::Valid(state)) => state.lifecycle.satisfies_dependency(),
            Some(StateRead::Broken(_)) => false,
            None => external,
        };
        if dependency.kind == DependencyKind::Hard && !satisfied {
            blocking.push(name.clone());
        }
        unresolved += usize::from(reference && !dependency.optional && !satisfied && entry.is_none());
        entries.push(DependencyEntry { spec_id: name, kind: dependency.kind.to_string(), state, satisfied });
    }
    Ok(DependenciesView {
        spec_id: item.to_string(),
        all_satisfied: blocking.is_empty() && unresolved == 0,
        dependencies: entries,
        blocking,
    })
}

/// Whether a dependency is written as a path or an address, as SpecMan has it.
fn is_reference(dependency: &Dependency) -> bool {
    let target = &dependency.target;
    target.contains("://")
        || target.strip_suffix(".md").is_some()
        || target.starts_with("./")
        || target.starts_with("../")
}

/// Whether a dependency is a document on the web: it has no state, and nobody here waits for it.
fn is_external(dependency: &Dependency) -> bool {
    ["https://", "http://"].iter().any(|scheme| dependency.target.starts_with(scheme))
}

/// The spec that a reference leads to, seen from the document that has it.
fn referred(
    ws: &Workspace,
    ctx: &Context,
    item: &WorkItem,
    dependency: &Dependency,
) -> Result<Option<SpecId>> {
    let WorkItem::Spec(owner) = item else { return Ok(None) };
    let Some(entry) = ws.store().entry(ctx, owner)? else { return Ok(None) };
    let target = dependency.target.split('#').next().unwrap_or_default();
    let Ok(ReferenceTarget::Inside(path)) = resolve(entry.folder.as_str(), target) else { return Ok(None) };
    let snapshot = ws.store().snapshot(ctx)?;
    let is_meant = |entry: &&std::sync::Arc<SpecEntry>| {
        entry.spec_path() == path || entry.folder.as_str() == path.trim_end_matches('/')
    };
    Ok(snapshot.specs.iter().find(is_meant).map(|entry| entry.id.clone()))
}

/// The hard dependencies of a spec whose work is not done.
pub(crate) fn open_hard_dependencies<'e>(
    snapshot: &'e Snapshot,
    entry: &'e SpecEntry,
) -> impl Iterator<Item = &'e Dependency> {
    let hard = entry.head.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Hard);
    hard.filter(|dependency| !is_external(dependency)).filter(|dependency| {
        let target = target_id(dependency).and_then(|id| snapshot.get(&id));
        !target.is_some_and(|target| lifecycle(target).is_some_and(Lifecycle::satisfies_dependency))
    })
}

/// The spec that a dependency names, if it names one: an id, or `spec://` with an id.
pub(crate) fn target_id(dependency: &Dependency) -> Option<SpecId> {
    match dependency.target.strip_prefix("spec://") {
        Some(segment) => SpecId::from_segment(segment).ok(),
        None => SpecId::parse(&dependency.target).ok(),
    }
}
