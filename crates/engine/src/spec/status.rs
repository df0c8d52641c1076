//! `spec_status`: where one spec stands.

use std::sync::OnceLock;

use hewto_core::id::WorkItem;
use hewto_core::plan::PlanProgress;
use hewto_core::state::{BuildProgress, WorkflowState};
use hewto_store::{Context, StateRead};
use jiff::Timestamp;

use super::dependencies::{standing, standing_of};
use super::list::ItemKind;
use crate::error::Result;
use crate::item::{Item, item_named};
use crate::plan::ItemPlan;
use crate::view::{BuildProgressView, DependenciesView, DependencyCounts, PlanProgressView, SpecStatusView};
use crate::workspace::Workspace;

/// Everything that tells how far a spec has come.
pub fn status(ws: &Workspace, ctx: &Context, id: &str) -> Result<SpecStatusView> {
    let facts = match Facts::of_summary(ws, ctx, id)? {
        Some(facts) => facts,
        None => Facts::of_item(ws, ctx, id)?,
    };
    let Facts { item, title, state, dependencies, head_updated_at, plan_progress } = facts;
    let kind = match &item {
        WorkItem::Spec(id) => {
            ws.store().entry(ctx, id)?.map_or(ItemKind::Work, |entry| ItemKind::of(ws, ctx, &entry))
        }
        WorkItem::Change(_) => ItemKind::Change,
    };
    Ok(SpecStatusView {
        spec_id: item.to_string(),
        kind,
        title,
        lifecycle_state: state.lifecycle.to_string(),
        phase: state.phase,
        plan_progress: plan_progress.map(PlanProgressView::from),
        build_progress: progress_view(&state.build_progress),
        dependencies: DependencyCounts {
            total: dependencies.dependencies.len(),
            satisfied: dependencies.dependencies.iter().filter(|entry| entry.satisfied).count(),
            blocked: dependencies.blocking.len(),
        },
        reason: state.reason.clone(),
        updated_at: later(Some(state.updated_at).filter(|at| !at.is_empty()), head_updated_at),
    })
}

/// What a status is told from.
struct Facts {
    item: WorkItem,
    title: String,
    state: WorkflowState,
    dependencies: DependenciesView,
    head_updated_at: Option<String>,
    plan_progress: Option<PlanProgress>,
}

impl Facts {
    /// From the summary that the store keeps of a spec, without reading its text again. `None` where that does not say
    /// everything: for a change, and for a spec with which something is wrong.
    fn of_summary(ws: &Workspace, ctx: &Context, name: &str) -> Result<Option<Self>> {
        let Ok(WorkItem::Spec(id)) = item_named(name) else { return Ok(None) };
        let entry = ws.store().entry(ctx, &id)?.filter(|entry| entry.diagnostics.is_empty());
        let Some(entry) = entry else { return Ok(None) };
        let state = match &entry.state {
            StateRead::Absent => WorkflowState::draft(id.as_str(), ""),
            StateRead::Valid(state) => WorkflowState::clone(state),
            StateRead::Broken(_) => return Ok(None),
        };
        let item = WorkItem::Spec(id);
        let dependencies = standing_of(ws, ctx, &item, &entry.head.dependencies)?;
        Ok(Some(Self {
            title: entry.title().to_owned(),
            state,
            dependencies,
            head_updated_at: entry.head.updated_at.clone(),
            plan_progress: if entry.has_plan() {
                progress_of(ws, ctx, &item, &entry.plan_progress)?
            } else {
                None
            },
            item,
        }))
    }

    fn of_item(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        let item = Item::load(ws, ctx, name)?;
        Ok(Self {
            state: item.state()?,
            dependencies: standing(ws, ctx, &item)?,
            head_updated_at: item.spec().and_then(|spec| spec.head.updated_at.clone()),
            title: item.title.clone(),
            plan_progress: progress_of(ws, ctx, &item.id, &OnceLock::new())?,
            item: item.id,
        })
    }
}

/// How far the plan of an item has come, as it is remembered or as it is read now.
fn progress_of(
    ws: &Workspace,
    ctx: &Context,
    item: &WorkItem,
    remembered: &OnceLock<PlanProgress>,
) -> Result<Option<PlanProgress>> {
    if let Some(progress) = remembered.get() {
        return Ok(Some(*progress));
    }
    let plan = ItemPlan::find(ws, ctx, item)?;
    Ok(plan.map(|plan| *remembered.get_or_init(|| plan.plan.progress())))
}

pub(crate) fn progress_view(progress: &BuildProgress) -> BuildProgressView {
    BuildProgressView {
        percentage: progress.percentage,
        current_step: progress.current_step.clone(),
        notes: progress.notes.clone(),
    }
}

/// The later of two times; one that is no time loses.
pub(crate) fn later(a: Option<String>, b: Option<String>) -> Option<String> {
    let at = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Timestamp>().ok());
    match (at(&a), at(&b)) {
        (Some(x), Some(y)) => {
            if y > x {
                b
            } else {
                a
            }
        }
        (None, Some(_)) => b,
        (Some(_), None) => a,
        (None, None) => a.or(b),
    }
}
