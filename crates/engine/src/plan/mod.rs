//! Use cases of plans: create, change, tick steps, look at.
//!
//! The plan of a spec is its `plan.md`, the plan of a change its `tasks.md`; `document` knows both.

mod document;

use hewto_core::lifecycle::Phase;
use hewto_core::plan::Complexity;
use hewto_core::tasks::PLACEHOLDER;
use hewto_store::{Context, DocKey, Expect, Transaction};

pub(crate) use document::ItemPlan;

use crate::error::{Action, Error, Result};
use crate::item::{Item, refuse_archived};
use crate::text;
use crate::view::{PlanCreated, PlanUpdated, PlanView, StepCompleted};
use crate::workspace::{Workspace, first_path};

/// A step as somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepInput {
    pub title: String,
    pub description: String,
    pub complexity: Option<Complexity>,
}

/// What a new plan is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlan {
    pub approach: String,
    pub steps: Vec<StepInput>,
}

/// What is to change in a plan; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanChanges {
    pub approach: Option<String>,
    /// Replaces all steps; those whose title is unchanged keep their status and notes.
    pub steps: Option<Vec<StepInput>>,
}

/// `plan_create`: the first plan of a spec or a change.
pub fn create(ws: &Workspace, ctx: &Context, id: &str, new: &NewPlan) -> Result<PlanCreated> {
    let new =
        NewPlan { approach: text::required("approach", &new.approach)?, steps: checked_steps(&new.steps)? };
    let lock = ws.store().lock(ctx)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    refuse_archived(id, &state)?;
    let key = DocKey::Plan(item.id.clone());
    let existing = ws.store().read(ctx, &key)?;
    let placeholder = existing.as_ref().filter(|doc| doc.text == PLACEHOLDER);
    if let Some(existing) = existing.as_ref().filter(|_| placeholder.is_none()) {
        return Err(Error::validation(format!("`{id}` has a plan already: `{}`", existing.path))
            .detail("spec_id", id)
            .detail("path", existing.path.as_str())
            .hint(Action::UpdatePlan { item: id.to_owned() }));
    }
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
    let committed = lock.commit(ctx, transaction)?;
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
    let changes = PlanChanges {
        approach: changes.approach.as_deref().map(|text| text::required("approach", text)).transpose()?,
        steps: changes.steps.as_deref().map(checked_steps).transpose()?,
    };
    let lock = ws.store().lock(ctx)?;
    let item = Item::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = ItemPlan::load(ws, ctx, &item.id)?;
    let edited = current.edited(&changes, &ctx.now_rfc3339())?;
    lock.commit(ctx, current.replaced_by(edited.text))?;
    Ok(PlanUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        total_steps: changes.steps.map_or(current.plan.steps.len(), |steps| steps.len()),
        kept: edited.kept,
        dropped: edited.dropped,
    })
}

/// `plan_step_complete`: ticks one step; ticking it again changes nothing but the notes.
pub fn complete_step(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    index: usize,
    notes: Option<&str>,
) -> Result<StepCompleted> {
    let notes = text::optional("notes", notes)?;
    let lock = ws.store().lock(ctx)?;
    let item = Item::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = ItemPlan::load(ws, ctx, &item.id)?;
    let total = current.plan.steps.len();
    let Some(step) = current.plan.steps.get(index) else {
        let expected = match total {
            0 => "a plan with steps".to_owned(),
            _ => format!("a number from 0 to {}", total - 1),
        };
        return Err(Error::invalid_argument(
            "step_index",
            &expected,
            format!("there is no step {index}: the plan has {total} steps, counted from 0"),
        )
        .detail("total_steps", total)
        .hint("read the plan to see its steps"));
    };
    let text = current.completed(index, notes.as_deref(), &ctx.now_rfc3339())?;
    let after = current.reread(text);
    lock.commit(ctx, current.replaced_by(after.document.text.clone()))?;
    Ok(StepCompleted {
        spec_id: item.id.to_string(),
        step_index: index,
        step_title: step.title.clone(),
        completed: true,
        plan_progress: after.progress(),
    })
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
    let check = |(index, step): (usize, &StepInput)| {
        Ok(StepInput {
            title: text::title(&format!("steps/{index}/title"), &step.title)?,
            description: text::free(&format!("steps/{index}/description"), &step.description)?,
            complexity: step.complexity,
        })
    };
    inputs.iter().enumerate().map(check).collect()
}
