//! Use cases of plans: create, change, tick steps, look at.

use std::collections::VecDeque;

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Phase;
use hewto_core::plan::{self, Complexity, Plan, PlanStep, StepStatus, normalised_title};
use hewto_store::{Context, Doc, DocKey, Expect, Transaction};

use crate::error::{Error, Result};
use crate::item::{SpecItem, refuse_archived};
use crate::text;
use crate::view::{PlanCreated, PlanProgressView, PlanStepView, PlanUpdated, PlanView, StepCompleted};
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

/// `plan_create`: the first plan of a spec.
pub fn create(ws: &Workspace, ctx: &Context, id: &str, new: &NewPlan) -> Result<PlanCreated> {
    let approach = text::required("approach", &new.approach)?;
    let steps = checked_steps(&new.steps)?;
    let lock = ws.store().lock(ctx)?;
    let item = SpecItem::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    refuse_archived(id, &state)?;
    let key = DocKey::Plan(WorkItem::Spec(item.id.clone()));
    if let Some(existing) = ws.store().read(ctx, &key)? {
        return Err(Error::validation(format!("`{id}` has a plan already: `{}`", existing.path))
            .detail("spec_id", id)
            .detail("path", existing.path.as_str())
            .hint("change it with `plan_update`"));
    }
    let now = ctx.now_rfc3339();
    let plan = Plan {
        spec_id: item.id.to_string(),
        approach,
        steps: steps.into_iter().enumerate().map(|(index, step)| fresh_step(index, step)).collect(),
        created_at: Some(now.clone()),
        updated_at: Some(now.clone()),
    };
    if state.phase == Phase::Spec {
        state.phase = Phase::Plan;
    }
    state.updated_at = now;
    let total_steps = plan.steps.len();
    let mut transaction = Transaction::new();
    transaction.put(key, plan.render(), Expect::Absent);
    item.put_state(&mut transaction, &state)?;
    let committed = lock.commit(ctx, transaction)?;
    Ok(PlanCreated {
        spec_id: item.id.to_string(),
        plan_created: true,
        total_steps,
        path: first_path(&committed),
    })
}

/// `plan_update`: another approach, other steps.
pub fn update(ws: &Workspace, ctx: &Context, id: &str, changes: &PlanChanges) -> Result<PlanUpdated> {
    if *changes == PlanChanges::default() {
        return Err(Error::nothing_to_update("approach or steps"));
    }
    let approach = changes.approach.as_deref().map(|text| text::required("approach", text)).transpose()?;
    let steps = changes.steps.as_deref().map(checked_steps).transpose()?;
    let lock = ws.store().lock(ctx)?;
    let item = SpecItem::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let current = load(ws, ctx, &item)?;
    let cannot_edit = |error| Error::cannot_edit(current.document.path.as_str(), error);

    let mut text = current.document.text.clone();
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    let mut total_steps = current.plan.steps.len();
    if let Some(steps) = steps {
        let carried = carry_over(&current.plan.steps, steps);
        total_steps = carried.steps.len();
        (kept, dropped) = (carried.kept, carried.dropped);
        text = plan::replace_steps(&text, &carried.steps).map_err(cannot_edit)?;
    }
    if let Some(approach) = approach {
        text = plan::set_approach(&text, &approach).map_err(cannot_edit)?;
    }
    text = plan::touch(&text, &ctx.now_rfc3339()).map_err(cannot_edit)?;
    lock.commit(ctx, current.replaced_by(text))?;
    Ok(PlanUpdated { spec_id: item.id.to_string(), updated: true, total_steps, kept, dropped })
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
    let item = SpecItem::load(ws, ctx, id)?;
    refuse_archived(id, &item.state_to_work_on(ws)?)?;
    let mut current = load(ws, ctx, &item)?;
    let total = current.plan.steps.len();
    let Some(step) = current.plan.steps.get_mut(index) else {
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
    let text = plan::complete_step(&current.document.text, index, notes.as_deref(), &ctx.now_rfc3339())
        .map_err(|error| Error::cannot_edit(current.document.path.as_str(), error))?;
    step.status = StepStatus::Completed;
    let step_title = step.title.clone();
    lock.commit(ctx, current.replaced_by(text))?;
    Ok(StepCompleted {
        spec_id: item.id.to_string(),
        step_index: index,
        step_title,
        completed: true,
        plan_progress: current.progress(),
    })
}

/// The plan of a spec.
pub fn show(ws: &Workspace, ctx: &Context, id: &str) -> Result<PlanView> {
    let item = SpecItem::load(ws, ctx, id)?;
    Ok(load(ws, ctx, &item)?.view())
}

/// The `airsspec:///{spec_id}/plan` resource: the file as it stands.
pub fn markdown(ws: &Workspace, ctx: &Context, id: &str) -> Result<String> {
    let item = SpecItem::load(ws, ctx, id)?;
    Ok(load(ws, ctx, &item)?.document.text)
}

/// A plan with the document it was read from.
#[derive(Debug)]
pub(crate) struct ItemPlan {
    key: DocKey,
    pub(crate) document: Doc,
    pub(crate) plan: Plan,
}

impl ItemPlan {
    /// The transaction that puts a new text in the place of this one.
    fn replaced_by(&self, text: String) -> Transaction {
        let mut transaction = Transaction::new();
        transaction.put(self.key.clone(), text, Expect::Hash(self.document.hash));
        transaction
    }

    pub(crate) fn progress(&self) -> PlanProgressView {
        let progress = self.plan.progress();
        PlanProgressView {
            total_steps: progress.total,
            completed_steps: progress.completed,
            percentage: progress.percentage,
        }
    }

    pub(crate) fn open_steps(&self) -> usize {
        let closed = |step: &&PlanStep| matches!(step.status, StepStatus::Completed | StepStatus::Skipped);
        self.plan.steps.len() - self.plan.steps.iter().filter(closed).count()
    }

    pub(crate) fn view(&self) -> PlanView {
        let steps = self.plan.steps.iter().map(|step| PlanStepView {
            index: step.index,
            title: step.title.clone(),
            description: step.description.clone(),
            complexity: step.complexity.to_string(),
            status: step.status.to_string(),
            notes: step.notes.clone(),
        });
        PlanView { approach: self.plan.approach.clone(), steps: steps.collect() }
    }
}

/// The plan of an item, if it has one.
pub(crate) fn find(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Option<ItemPlan>> {
    let key = DocKey::Plan(item.clone());
    let Some(document) = ws.store().read(ctx, &key)? else { return Ok(None) };
    let (plan, _) = Plan::read(&document.text);
    Ok(Some(ItemPlan { key, document, plan }))
}

pub(crate) fn load(ws: &Workspace, ctx: &Context, item: &SpecItem) -> Result<ItemPlan> {
    find(ws, ctx, &WorkItem::Spec(item.id.clone()))?.ok_or_else(|| Error::plan_not_found(item.id.as_str()))
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

fn fresh_step(index: usize, input: StepInput) -> PlanStep {
    PlanStep {
        index,
        title: input.title,
        description: input.description,
        complexity: input.complexity.unwrap_or_default(),
        status: StepStatus::Pending,
        notes: None,
    }
}

/// New steps with the status and notes of the old ones of the same title.
struct CarriedOver {
    steps: Vec<PlanStep>,
    kept: Vec<String>,
    dropped: Vec<String>,
}

fn carry_over(old: &[PlanStep], new: Vec<StepInput>) -> CarriedOver {
    // Two steps may share a title: the first new one takes from the first old one, and so on.
    let mut left: VecDeque<&PlanStep> = old.iter().collect();
    let mut kept = Vec::new();
    let mut steps = Vec::with_capacity(new.len());
    for (index, input) in new.into_iter().enumerate() {
        let title = normalised_title(&input.title);
        let twin = left.iter().position(|step| step.title == title).and_then(|at| left.remove(at));
        let given = input.complexity;
        let mut step = fresh_step(index, input);
        if let Some(twin) = twin {
            step.status = twin.status;
            step.notes.clone_from(&twin.notes);
            step.complexity = given.unwrap_or(twin.complexity);
            kept.push(step.title.clone());
        }
        steps.push(step);
    }
    let dropped = left.into_iter().map(|step| step.title.clone()).collect();
    CarriedOver { steps, kept, dropped }
}
