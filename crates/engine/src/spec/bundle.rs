//! One spec whole: as the bundle of all its artifacts, and as the file it is.

use hewto_core::spec::body;
use hewto_store::Context;

use super::list;
use super::status::{later, progress_view};
use crate::error::Result;
use crate::item::{Item, SpecText};
use crate::plan::ItemPlan;
use crate::view::{DependencyView, SpecBundle, SpecContentView, SpecMetadataView, StateView};
use crate::workspace::Workspace;

/// The `airsspec:///{spec_id}` resource.
pub fn bundle(ws: &Workspace, ctx: &Context, id: &str) -> Result<SpecBundle> {
    let (item, spec) = Item::load_spec(ws, ctx, id)?;
    let state = item.state().ok();
    let plan = ItemPlan::find(ws, ctx, &item.id)?;
    let entry = ws.store().entry(ctx, &spec.id)?;
    let is_living = entry.as_ref().is_some_and(|entry| {
        list::ItemKind::of(ws, ctx, entry) == list::ItemKind::Living && ws.is_native(entry.folder.as_str())
    });
    let diagnostics = entry.map(|entry| list::diagnostics(&entry));
    let metadata = SpecMetadataView {
        title: spec.title(),
        description: spec.head.description.clone(),
        category: spec.head.category.map(|category| category.to_string()),
        state: state.as_ref().map(|state| state.lifecycle.to_string()),
        dependencies: spec
            .head
            .dependencies
            .iter()
            .map(|dependency| DependencyView {
                spec_id: dependency.target.clone(),
                kind: dependency.kind.to_string(),
            })
            .collect(),
        created_at: spec.head.created_at.clone(),
        updated_at: spec.head.updated_at.clone(),
    };
    Ok(SpecBundle {
        id: spec.id.to_string(),
        kind: is_living.then_some(list::ItemKind::Living),
        spec: SpecContentView { metadata, content: body(&spec.document.text).to_owned() },
        plan_progress: plan.as_ref().map(ItemPlan::progress),
        plan: plan.map(|plan| plan.view()),
        state: state.map(|state| StateView {
            lifecycle: state.lifecycle.to_string(),
            phase: state.phase,
            build_progress: progress_view(&state.build_progress),
            reason: state.reason,
            summary: state.summary,
            deviations: state.deviations,
            completed_at: state.completed_at,
            updated_at: later(Some(state.updated_at).filter(|at| !at.is_empty()), None),
        }),
        diagnostics: diagnostics.unwrap_or_default(),
    })
}

/// The `airsspec:///{spec_id}/spec` resource: the file as it stands.
pub fn markdown(ws: &Workspace, ctx: &Context, id: &str) -> Result<String> {
    Ok(SpecText::load(ws, ctx, id)?.document.text)
}
