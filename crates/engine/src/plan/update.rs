//! Another plan in place of the one that is there.

use hewto_core::id::WorkItem;
use hewto_core::review::Digest;
use hewto_store::Context;

use super::{ItemPlan, PlanChanges, checked_steps};
use crate::claim;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::gate;
use crate::item::{Item, refuse_archived};
use crate::review::Subject;
use crate::text;
use crate::view::PlanUpdated;
use crate::workspace::Workspace;

/// `plan_update`: another approach, other steps.
pub fn update(ws: &Workspace, ctx: &Context, id: &str, changes: &PlanChanges) -> Result<PlanUpdated> {
    if *changes == PlanChanges::default() {
        return Err(Error::nothing_to_update("approach or steps"));
    }
    let mut faults = Faults::default();
    let approach = changes.approach.as_deref();
    let approach = approach.and_then(|text| faults.take(text::required("approach", text)));
    let steps = changes.steps.as_deref().and_then(|steps| faults.take(checked_steps(steps)));
    faults.finish()?;
    let mut changes = PlanChanges { approach, steps };
    let (lock, held) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(&held, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(&held)?)?;
    let current = ItemPlan::load(&held, ctx, &item.id)?;
    for step in changes.steps.iter_mut().flatten() {
        step.title = current.title_meant(&step.title);
    }
    let edited = current.edited(&changes, &ctx.now_rfc3339())?;
    let before = digest(&held, ctx, &item);
    lock.commit(ctx, current.replaced_by(edited.text))?;
    drop(lock);
    Ok(PlanUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        total_steps: changes.steps.map_or(current.plan.steps.len(), |steps| steps.len()),
        kept: edited.kept,
        dropped: edited.dropped,
        approval: lost_approval(ws, ctx, &item, before),
    })
}

/// A plan that somebody edited as a text. `before` is the text they began with: what others wrote since is not lost.
pub fn rewrite(ws: &Workspace, ctx: &Context, id: &str, before: &str, after: &str) -> Result<PlanUpdated> {
    let after = text::required("plan", after)?;
    let (lock, held) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(&held, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(&held)?)?;
    let current = ItemPlan::load(&held, ctx, &item.id)?;
    if current.document.text != before {
        return Err(Error::validation(format!("the plan of `{id}` was changed by somebody else meanwhile"))
            .detail("file", current.document.path.as_str())
            .hint("take over what they wrote, and edit it again"));
    }
    let new = current.reread(format!("{after}\n"));
    if new.plan.steps.is_empty() {
        return Err(Error::validation("the plan has no steps any more").detail("field", "plan").hint(
            match item.id {
                WorkItem::Spec(_) => "write each step as `### Step 1: title` below `## Steps`",
                WorkItem::Change(_) => "write each task as `- [ ] 1.1 title`",
            },
        ));
    }
    let titles = |plan: &ItemPlan| plan.plan.steps.iter().map(|step| step.title.clone()).collect::<Vec<_>>();
    let (old, steps) = (titles(&current), titles(&new));
    let shown = digest(&held, ctx, &item);
    if current.document.text.trim_end() != after {
        lock.commit(ctx, current.replaced_by(new.document.text.clone()))?;
    }
    drop(lock);
    Ok(PlanUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        total_steps: steps.len(),
        kept: old.iter().filter(|title| steps.contains(title)).cloned().collect(),
        dropped: old.into_iter().filter(|title| !steps.contains(title)).collect(),
        approval: lost_approval(ws, ctx, &item, shown),
    })
}

/// What an approval of the item would be bound to now; `None` when that cannot be read.
fn digest(ws: &Workspace, ctx: &Context, item: &Item) -> Option<Digest> {
    Subject::of(ws, ctx, &item.id, item.title.clone()).ok().map(|subject| subject.digest)
}

/// Whoever changes what was approved hears of it at once, and not from the next refusal. This asks git: the lock is free by now.
fn lost_approval(ws: &Workspace, ctx: &Context, item: &Item, before: Option<Digest>) -> Option<String> {
    let now = Subject::of(ws, ctx, &item.id, item.title.clone()).ok()?;
    gate::lost_approval(ws, ctx, &before?, &now).unwrap_or_default()
}
