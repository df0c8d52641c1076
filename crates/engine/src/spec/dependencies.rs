//! Dependencies between specs: checking the ones that are given, and telling how they stand.

use std::collections::BTreeSet;

use hewto_core::graph::DependencyGraph;
use hewto_core::id::{SpecId, WorkItem};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::{Dependency, DependencyKind};
use hewto_store::{Context, StateRead};
use serde_json::json;

use crate::error::{Error, Result};
use crate::item::{Item, parse_spec_id, spec_not_found};
use crate::view::{DependenciesView, DependencyEntry};
use crate::workspace::Workspace;

/// A dependency as somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyInput {
    pub spec_id: String,
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
    for dependency in dependencies {
        let (name, state) = match target_id(dependency) {
            Some(id) => {
                let entry = ws.store().entry(ctx, &id)?;
                let state = entry.map(|entry| match &entry.state {
                    StateRead::Absent => Some(Lifecycle::Draft),
                    StateRead::Valid(state) => Some(state.lifecycle),
                    StateRead::Broken(_) => None,
                });
                (id.to_string(), state)
            }
            None => (dependency.target.clone(), None),
        };
        let satisfied = state.flatten().is_some_and(Lifecycle::satisfies_dependency);
        if dependency.kind == DependencyKind::Hard && !satisfied {
            blocking.push(name.clone());
        }
        entries.push(DependencyEntry {
            spec_id: name,
            kind: dependency.kind.to_string(),
            state: match state {
                None => "missing".to_owned(),
                Some(None) => "unreadable".to_owned(),
                Some(Some(state)) => state.to_string(),
            },
            satisfied,
        });
    }
    Ok(DependenciesView {
        spec_id: item.to_string(),
        all_satisfied: blocking.is_empty(),
        dependencies: entries,
        blocking,
    })
}

/// The spec that a dependency names, if it names one: an id, or `spec://` with an id.
pub(crate) fn target_id(dependency: &Dependency) -> Option<SpecId> {
    match dependency.target.strip_prefix("spec://") {
        Some(segment) => SpecId::from_segment(segment).ok(),
        None => SpecId::parse(&dependency.target).ok(),
    }
}
