//! Which specs are work for somebody.

use std::borrow::Cow;

use hewto_core::id::WorkItem;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, SpecEntry, StateRead};

use crate::plan::ItemPlan;
use crate::workspace::Workspace;

/// Where a spec stands as work; nothing when it is none, or nobody can tell.
///
/// A spec that somebody wrote by hand and gave a plan is a draft that nobody has begun. What only promises is no work, nor
/// is what stands where another tool keeps its promises.
pub(crate) fn work_state<'e>(
    ws: &Workspace,
    ctx: &Context,
    entry: &'e SpecEntry,
) -> Option<Cow<'e, WorkflowState>> {
    match &entry.state {
        StateRead::Valid(state) => Some(Cow::Borrowed(state)),
        StateRead::Absent if is_planned_by_hand(ws, ctx, entry) => {
            Some(Cow::Owned(WorkflowState::draft(entry.id.as_str(), "")))
        }
        StateRead::Absent | StateRead::Broken(_) => None,
    }
}

fn is_planned_by_hand(ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> bool {
    // The plan of another tool may be called the same; it has none of our steps.
    let has_open_step = || {
        let plan = ItemPlan::find(ws, ctx, &WorkItem::Spec(entry.id.clone())).ok().flatten();
        plan.is_some_and(|plan| plan.plan.current_step().is_some())
    };
    entry.has_plan() && !ws.is_living_folder(entry.folder.as_str()) && has_open_step()
}
