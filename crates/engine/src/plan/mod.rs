//! Use cases of plans: create, change, tick steps, look at.
//!
//! The plan of a spec is its `plan.md`, the plan of a change its `tasks.md`; `document` knows both.

mod document;
mod step;

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Phase;
use hewto_core::plan::{Complexity, StepStatus};
use hewto_core::proof::settings::Policy;
use hewto_core::schema::one_of;
use hewto_core::tasks::PLACEHOLDER;
use hewto_store::{Context, DocKey, Expect, Transaction};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

pub(crate) use document::ItemPlan;
pub use step::StepName;

use crate::claim;
use crate::error::{Action, Error, Hint, Result};
use crate::faults::Faults;
use crate::gate;
use crate::item::{Item, refuse_archived};
use crate::proof::{self, Lacks};
use crate::review::Subject;
use crate::text;
use crate::view::{PlanCreated, PlanUpdated, PlanView, StepCompleted};
use crate::workspace::{Workspace, first_path};

/// A step as somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "")]
pub struct StepInput {
    pub title: String,
    pub description: String,
    #[serde(default)]
    #[schemars(schema_with = "complexities")]
    pub complexity: Option<Complexity>,
}

fn complexities(_: &mut SchemaGenerator) -> Schema {
    one_of(Complexity::ALL.map(Complexity::as_str))
}

/// What a new plan is made of.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NewPlan {
    pub approach: String,
    pub steps: Vec<StepInput>,
}

/// What is to change in a plan; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PlanChanges {
    pub approach: Option<String>,
    // Those whose title is unchanged keep their status and notes.
    /// Replaces all
    pub steps: Option<Vec<StepInput>>,
}

/// `plan_create`: the first plan of a spec or a change.
pub fn create(ws: &Workspace, ctx: &Context, id: &str, new: &NewPlan) -> Result<PlanCreated> {
    let mut faults = Faults::default();
    let approach = faults.take(text::required("approach", &new.approach)).unwrap_or_default();
    let steps = faults.take(checked_steps(&new.steps)).unwrap_or_default();
    faults.finish()?;
    let mut new = NewPlan { approach, steps };
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock_together)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    refuse_archived(id, &state)?;
    let key = DocKey::Plan(item.id.clone());
    let existing = ws.store().read(ctx, &key)?;
    let placeholder = existing.as_ref().filter(|doc| doc.text == PLACEHOLDER);
    if let Some(existing) = existing.as_ref().filter(|_| placeholder.is_none()) {
        let hint = match &item.id {
            WorkItem::Spec(_) => Hint::from(Action::UpdatePlan { item: id.to_owned() }),
            // Its tasks came with `change_create`.
            WorkItem::Change(_) => Hint::from("its tasks are the plan: ")
                .action(Action::StartBuild { item: id.to_owned() })
                .text(", or ")
                .action(Action::UpdatePlan { item: id.to_owned() }),
        };
        return Err(Error::validation(format!("`{id}` has a plan already: `{}`", existing.path))
            .detail("spec_id", id)
            .detail("path", existing.path.as_str())
            .hint(hint));
    }
    proof::fill_in(ws, ctx, &item.id, &mut new.steps)?;
    let now = ctx.now_rfc3339();
    let text = document::render(&item.id, &new, &now);
    if state.phase == Phase::Spec {
        state.phase = Phase::Plan;
    }
    state.updated_at = now;
    let mut transaction = Transaction::new();
    let expect = placeholder.map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(key, text, expect);
    item.put_state(&mut transaction, &state)?;
    let committed = lock.finish(ctx, transaction)?;
    Ok(PlanCreated {
        spec_id: item.id.to_string(),
        plan_created: true,
        total_steps: new.steps.len(),
        path: first_path(&committed),
    })
}

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
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = ItemPlan::load(ws, ctx, &item.id)?;
    for step in changes.steps.iter_mut().flatten() {
        step.title = current.title_meant(&step.title);
    }
    let edited = current.edited(&changes, &ctx.now_rfc3339())?;
    // Whoever changes what was approved hears of it at once, and not from the next refusal.
    let subject = || Subject::of(ws, ctx, &item.id, item.title.clone());
    let approved = subject().ok().map(|subject| subject.digest);
    lock.commit(ctx, current.replaced_by(edited.text))?;
    let approval = match (approved, subject()) {
        (Some(before), Ok(now)) => gate::lost_approval(ws, ctx, &before, &now).unwrap_or_default(),
        _ => None,
    };
    Ok(PlanUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        total_steps: changes.steps.map_or(current.plan.steps.len(), |steps| steps.len()),
        kept: edited.kept,
        dropped: edited.dropped,
        approval,
    })
}

/// A plan that somebody edited as a text. `before` is the text they began with: what others wrote since is not lost.
pub fn rewrite(ws: &Workspace, ctx: &Context, id: &str, before: &str, after: &str) -> Result<PlanUpdated> {
    let after = text::required("plan", after)?;
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = ItemPlan::load(ws, ctx, &item.id)?;
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
    let subject = || Subject::of(ws, ctx, &item.id, item.title.clone());
    let approved = subject().ok().map(|subject| subject.digest);
    if current.document.text.trim_end() != after {
        lock.commit(ctx, current.replaced_by(new.document.text.clone()))?;
    }
    let approval = match (approved, subject()) {
        (Some(before), Ok(now)) => gate::lost_approval(ws, ctx, &before, &now).unwrap_or_default(),
        _ => None,
    };
    Ok(PlanUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        total_steps: steps.len(),
        kept: old.iter().filter(|title| steps.contains(title)).cloned().collect(),
        dropped: old.into_iter().filter(|title| !steps.contains(title)).collect(),
        approval,
    })
}

/// `plan_step_complete`: ticks one step; ticking it again changes nothing but the notes.
pub fn complete_step(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    step: impl Into<StepName>,
    notes: Option<&str>,
) -> Result<StepCompleted> {
    let notes = text::optional("notes", notes)?;
    edit_step(ws, ctx, id, &step.into(), |plan, index| {
        plan.completed(index, notes.as_deref(), &ctx.now_rfc3339())
    })
}

/// Opens a step again that was ticked, and keeps the reason in its notes.
pub fn reopen_step(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    step: impl Into<StepName>,
    reason: &str,
) -> Result<StepCompleted> {
    let reason = text::required("reason", reason)?;
    let mut view = edit_step(ws, ctx, id, &step.into(), |plan, index| match plan.plan.steps[index].status {
        StepStatus::Completed | StepStatus::Skipped => plan.reopened(index, &reason, &ctx.now_rfc3339()),
        StepStatus::Pending | StepStatus::InProgress => Err(not_done(id, plan, index)),
    })?;
    view.reason = Some(reason);
    Ok(view)
}

fn edit_step(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    step: &StepName,
    edit: impl FnOnce(&ItemPlan, usize) -> Result<String>,
) -> Result<StepCompleted> {
    let title = step_title(ws, ctx, id, step);
    let ws = &ws.foreseeing(|ws| {
        let item = Item::load(ws, ctx, id)?;
        let plan = ItemPlan::load(ws, ctx, &item.id)?;
        let index = step::find(&plan, step)?;
        gate::ask_step(ws, ctx, &item.id, index, &plan.plan.steps[index])
    });
    let (lock, ref ws) = claim::lock(ws, ctx, id, title.as_deref(), Workspace::lock_together)?;
    let item = Item::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = ItemPlan::load(ws, ctx, &item.id)?;
    let index = step::find(&current, step)?;
    let after = current.reread(edit(&current, index)?);
    let is_done = after.plan.steps.get(index).is_some_and(|step| step.status == StepStatus::Completed);
    // What is opened again needs no proof.
    let step = &current.plan.steps[index];
    let proof = if is_done { gate::ask_step(ws, ctx, &item.id, index, step)? } else { None };
    lock.finish(ctx, current.replaced_by(after.document.text.clone()))?;
    Ok(StepCompleted {
        spec_id: item.id.to_string(),
        step_index: index,
        step: current.numbers().swap_remove(index),
        step_title: current.plan.steps[index].title.clone(),
        completed: is_done,
        reason: None,
        plan_progress: after.progress(),
        evidence: if is_done { evidence(ws, ctx, proof.as_ref())? } else { None },
        lacking: proof.map(|proof| proof.lacks).unwrap_or_default(),
    })
}

/// What a tick stands on, where proof is asked for at all.
fn evidence(ws: &Workspace, ctx: &Context, proof: Option<&Lacks>) -> Result<Option<String>> {
    Ok(match proof {
        Some(proof) if proof.lacks.is_empty() => Some("verified".to_owned()),
        None if proof::policy(ws, ctx)? == Policy::Off => None,
        Some(_) | None => Some("reported".to_owned()),
    })
}

fn not_done(id: &str, plan: &ItemPlan, index: usize) -> Error {
    let step = &plan.plan.steps[index];
    Error::validation(format!("the step `{}` of `{id}` is not ticked", step.title))
        .detail("spec_id", id)
        .detail("step_index", index)
        .hint(
            Hint::from("there is nothing to undo; once it is done: ")
                .action(Action::CompleteStep { item: id.to_owned() }),
        )
}

/// The step that a claim has to be for, as far as it can be told before the lock is held. A plan that changes meanwhile
/// has another step there, and its own claim.
fn step_title(ws: &Workspace, ctx: &Context, id: &str, step: &StepName) -> Option<String> {
    let item = Item::load(ws, ctx, id).ok()?;
    let plan = ItemPlan::find(ws, ctx, &item.id).ok()??;
    let index = step::find(&plan, step).ok()?;
    plan.plan.steps.get(index).map(|step| step.title.clone())
}

/// The plan of a spec or a change.
pub fn show(ws: &Workspace, ctx: &Context, id: &str) -> Result<PlanView> {
    let item = Item::load(ws, ctx, id)?;
    Ok(ItemPlan::load(ws, ctx, &item.id)?.view())
}

/// The `airsspec:///{spec_id}/plan` resource: the file as it stands.
pub fn markdown(ws: &Workspace, ctx: &Context, id: &str) -> Result<String> {
    let item = Item::load(ws, ctx, id)?;
    Ok(ItemPlan::load(ws, ctx, &item.id)?.document.text)
}

fn checked_steps(inputs: &[StepInput]) -> Result<Vec<StepInput>> {
    if inputs.is_empty() {
        return Err(Error::validation("a plan needs at least one step")
            .detail("field", "steps")
            .hint("break the work down into steps with a title and a description each"));
    }
    let mut faults = Faults::default();
    let mut steps = Vec::with_capacity(inputs.len());
    for (index, step) in inputs.iter().enumerate() {
        let title = faults.take(text::title(&format!("steps/{index}/title"), &step.title));
        let description = faults.take(text::free(&format!("steps/{index}/description"), &step.description));
        if let (Some(title), Some(description)) = (title, description) {
            steps.push(StepInput { title, description, complexity: step.complexity });
        }
    }
    faults.finish()?;
    Ok(steps)
}
