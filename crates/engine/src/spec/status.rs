//! `spec_status`: where one spec stands.

use hewto_core::state::BuildProgress;
use hewto_store::Context;
use jiff::Timestamp;

use super::dependencies::standing;
use crate::error::Result;
use crate::item::Item;
use crate::plan::ItemPlan;
use crate::view::{BuildProgressView, DependencyCounts, SpecStatusView};
use crate::workspace::Workspace;

/// Everything that tells how far a spec has come.
pub fn status(ws: &Workspace, ctx: &Context, id: &str) -> Result<SpecStatusView> {
    let item = Item::load(ws, ctx, id)?;
    let state = item.state()?;
    let plan = ItemPlan::find(ws, ctx, &item.id)?;
    let dependencies = standing(ws, ctx, &item)?;
    Ok(SpecStatusView {
        spec_id: item.id.to_string(),
        title: item.title.clone(),
        lifecycle_state: state.lifecycle.to_string(),
        phase: state.phase.to_string(),
        plan_progress: plan.map(|plan| plan.progress()),
        build_progress: progress_view(&state.build_progress),
        dependencies: DependencyCounts {
            total: dependencies.dependencies.len(),
            satisfied: dependencies.dependencies.iter().filter(|entry| entry.satisfied).count(),
            blocked: dependencies.blocking.len(),
        },
        reason: state.reason.clone(),
        updated_at: later(
            Some(state.updated_at).filter(|at| !at.is_empty()),
            item.spec().and_then(|spec| spec.head.updated_at.clone()),
        ),
    })
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
