//! `spec_status`: where one spec stands.

use hewto_core::id::WorkItem;
use hewto_core::state::BuildProgress;
use hewto_store::Context;
use jiff::Timestamp;

use super::dependencies::standing;
use crate::error::Result;
use crate::item::SpecItem;
use crate::plan;
use crate::view::{BuildProgressView, DependencyCounts, SpecStatusView};
use crate::workspace::Workspace;

/// Everything that tells how far a spec has come.
pub fn status(ws: &Workspace, ctx: &Context, id: &str) -> Result<SpecStatusView> {
    let item = SpecItem::load(ws, ctx, id)?;
    let state = item.state()?;
    let plan = plan::find(ws, ctx, &WorkItem::Spec(item.id.clone()))?;
    let dependencies = standing(ws, ctx, &item)?;
    Ok(SpecStatusView {
        spec_id: item.id.to_string(),
        title: item.title(),
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
        updated_at: later(Some(state.updated_at).filter(|at| !at.is_empty()), item.head.updated_at.clone()),
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
