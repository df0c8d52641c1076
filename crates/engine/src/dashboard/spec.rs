//! A spec, or one of its requirements, with everything that hangs on it.

use std::collections::BTreeSet;

use hewto_core::artifact::ArtifactKind;
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::proof::settings::Policy;
use hewto_core::requirement::SpecDoc;
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{ChangeEntry, Context};

use super::change_cards::plain_cards;
use super::review::{fill_in_proof, states};
use crate::change::{ChangeFolder, delta_capability};
use crate::error::Result;
use crate::graph;
use crate::item::check_named;
use crate::proof;
use crate::spec::{ItemKind, bundle, check_dependencies, markdown};
use crate::view::{ArchivedChangeView, ChangeRef, DecisionCard, PromiseView, RequirementPage, SpecPage};
use crate::workspace::Workspace;

/// How many archived changes are told.
const MOST_HISTORY: usize = 100;

/// One spec. A document that cannot be understood is shown as far as it can be, with its diagnostics.
pub fn spec(ws: &Workspace, ctx: &Context, id: &str) -> Result<SpecPage> {
    check_named(ws, ctx, id)?;
    let found = bundle(ws, ctx, id)?;
    let text = markdown(ws, ctx, id)?;
    let document = Document::parse(&text);
    let purpose = SpecDoc::read(&document).purpose;
    let purpose = purpose.map(|purpose| document.slice(purpose.body).trim().to_owned());
    let mut requirements = plain_cards(&found.id, &text);
    let states = states(ws, ctx, &found.id);
    if let Some(states) = &states {
        for card in &mut requirements {
            fill_in_proof(card, &states.rows);
        }
    }
    let entry = hewto_core::id::SpecId::parse(&found.id).ok();
    let entry = entry.and_then(|id| ws.store().entry(ctx, &id).ok().flatten());
    let kind = entry.map_or(ItemKind::Work, |entry| ItemKind::of(ws, ctx, &entry));
    let archived = touching(ws.store().archived_changes(ctx)?.into_iter().rev(), &found.id);
    let mut archived_changes = Vec::new();
    for entry in archived.into_iter().take(MOST_HISTORY) {
        let folder = ChangeFolder::read(ws, ctx, entry)?;
        archived_changes.push(ArchivedChangeView {
            id: folder.id().to_owned(),
            title: folder.title(),
            path: format!("{}/", folder.entry.folder),
        });
    }
    let (changes, decisions) = joined(ws, ctx, &found.id)?;
    let mut open_changes = Vec::new();
    for entry in touching(changes.into_iter(), &found.id) {
        let folder = ChangeFolder::read(ws, ctx, entry)?;
        let (id, title) = (folder.id().to_owned(), folder.title());
        open_changes.push(ChangeRef { id, title, operation: String::new() });
    }
    Ok(SpecPage {
        title: found.spec.metadata.title,
        kind,
        purpose: purpose.filter(|purpose| !purpose.is_empty()),
        markdown: found.spec.content,
        state: found.state,
        requirements,
        steps: found.plan.map(|plan| plan.steps).unwrap_or_default(),
        dependencies: check_dependencies(ws, ctx, &found.id)?,
        open_changes,
        archived_changes,
        decisions,
        proof: states.map(|states| states.line),
        diagnostics: found.diagnostics,
        id: found.id,
    })
}

/// One requirement of a spec, by its id or its name.
pub fn requirement(ws: &Workspace, ctx: &Context, id: &str, name: &str) -> Result<RequirementPage> {
    check_named(ws, ctx, id)?;
    let found = crate::requirement::show(ws, ctx, id, name)?;
    let (spec, name) = (found.spec_id.clone(), found.requirement.name.clone());
    let (changes, decisions) = joined(ws, ctx, &spec)?;
    let open = touching(changes.into_iter(), &spec);
    let archived = touching(ws.store().archived_changes(ctx)?.into_iter().rev(), &spec);
    let promises = promises(ws, ctx, &spec, &name);
    Ok(RequirementPage {
        open_changes: those_about(ws, ctx, open, &spec, &name)?,
        history: those_about(ws, ctx, archived, &spec, &name)?,
        decisions,
        promises,
        requirement: found,
    })
}

/// The changes that have a delta to a spec.
fn touching(entries: impl Iterator<Item = ChangeEntry>, spec: &str) -> Vec<ChangeEntry> {
    let touches = |file: &String| delta_capability(file).is_some_and(|id| id.as_str() == spec);
    entries.filter(|entry| entry.files.iter().any(touches)).collect()
}

/// Those of them that do something to one requirement, and what.
fn those_about(
    ws: &Workspace,
    ctx: &Context,
    entries: Vec<ChangeEntry>,
    spec: &str,
    name: &str,
) -> Result<Vec<ChangeRef>> {
    let mut found = Vec::new();
    for entry in entries {
        ctx.check()?;
        let folder = ChangeFolder::read(ws, ctx, entry)?;
        let Some(delta) = folder.deltas.iter().find(|delta| delta.capability.as_str() == spec) else {
            continue;
        };
        let document = Document::parse(&delta.document.text);
        let read = DeltaDoc::read(&document);
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        let operation = if read.added.iter().any(|one| is(one.name)) {
            "added"
        } else if read.modified.iter().any(|one| is(one.name)) {
            "modified"
        } else if read.removed.iter().any(|one| is(one.name)) {
            "removed"
        } else if read.renamed.iter().any(|one| is(one.from) || is(one.to)) {
            "renamed"
        } else {
            continue;
        };
        found.push(ChangeRef {
            id: folder.id().to_owned(),
            title: folder.title(),
            operation: operation.to_owned(),
        });
        if found.len() == MOST_HISTORY {
            break;
        }
    }
    Ok(found)
}

fn promises(ws: &Workspace, ctx: &Context, spec: &str, requirement: &str) -> Vec<PromiseView> {
    if matches!(proof::policy(ws, ctx), Ok(Policy::Off)) {
        return Vec::new();
    }
    let query = proof::Query { target: Some(spec.to_owned()), ..proof::Query::default() };
    let rows = proof::matrix(ws, ctx, &query).map(|matrix| matrix.rows).unwrap_or_default();
    rows.into_iter().filter(|row| row.requirement == requirement).collect()
}

/// All open changes, and the decisions that the graph joins to a spec. A graph that cannot be made joins nothing.
fn joined(ws: &Workspace, ctx: &Context, spec: &str) -> Result<(Vec<ChangeEntry>, Vec<DecisionCard>)> {
    let Ok((graph, list)) = graph::load_with_changes(ws, ctx) else {
        return Ok((ws.store().changes(ctx)?.changes, Vec::new()));
    };
    Ok((list.changes, decisions_of(&graph, spec)))
}

fn decisions_of(graph: &WorkspaceGraph, spec: &str) -> Vec<DecisionCard> {
    let Some(node) = graph.with_handle(&format!("spec://{}", spec.replace('/', "%2F"))) else {
        return Vec::new();
    };
    let joined = graph.outgoing(node).iter().map(|edge| edge.to);
    let joined = joined.chain(graph.incoming(node).map(|edge| edge.from));
    let decisions: BTreeSet<NodeId> =
        joined.filter(|other| graph.node(*other).kind == ArtifactKind::Decision).collect();
    let decisions = decisions.into_iter().map(|id| graph.node(id));
    decisions
        .map(|other| DecisionCard {
            uid: other.name.clone(),
            title: other.metadata.get("title").cloned().unwrap_or_else(|| other.name.clone()),
            category: String::new(),
            date: String::new(),
            path: other.path.clone().unwrap_or_default(),
        })
        .collect()
}
