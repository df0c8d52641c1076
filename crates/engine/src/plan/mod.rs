//! Use cases of plans: create, change, tick steps, look at.
//!
//! The plan of a spec is its `plan.md`, the plan of a change its `tasks.md`; `document` knows both.

mod document;
mod step;
mod update;

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
pub(crate) use step::find as find_step;
pub use update::{rewrite, update};

use crate::claim;
use crate::error::{Action, Error, Hint, Result};
use crate::faults::Faults;
use crate::gate;
use crate::item::{Item, refuse_archived};
use crate::proof::{self, Lacks};
use crate::text;
use crate::view::{PlanCreated, PlanView, StepCompleted};
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
        Some(proof) if proof.lacks.is_empty() && !proof.waived => Some("verified".to_owned()),
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
