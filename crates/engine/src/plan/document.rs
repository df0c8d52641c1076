//! The two documents that hold a plan, behind one face: `plan.md` of a spec and `tasks.md` of a change.

use std::collections::VecDeque;

use hewto_core::document::Document;
use hewto_core::id::WorkItem;
use hewto_core::plan::{self, Plan, PlanStep, StepStatus, kept_description, normalised_title};
use hewto_core::tasks::{self, TaskStatus, TasksDoc};
use hewto_store::{Context, Doc, DocKey, Expect, Transaction};

use super::{NewPlan, PlanChanges, StepInput};
use crate::error::{Error, Result};
use crate::view::{PlanProgressView, PlanStepView, PlanView};
use crate::workspace::Workspace;

/// The heading of a change's steps when hewto writes them.
const TASK_GROUP: &str = "Implementation";

/// A plan with the document it was read from.
#[derive(Debug)]
pub(crate) struct ItemPlan {
    pub(crate) document: Doc,
    pub(crate) plan: Plan,
    item: WorkItem,
}

/// A plan after an edit.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    pub(super) kept: Vec<String>,
    pub(super) dropped: Vec<String>,
}

impl ItemPlan {
    pub(super) fn item(&self) -> &WorkItem {
        &self.item
    }

    /// The plan of an item, if it has one.
    pub(crate) fn find(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Option<Self>> {
        let document = ws.store().read(ctx, &DocKey::Plan(item.clone()))?;
        // A change that nobody planned yet has a place for tasks, and no plan.
        let document = document.filter(|document| document.text != tasks::PLACEHOLDER);
        Ok(document.map(|document| Self { plan: read(item, &document.text), document, item: item.clone() }))
    }

    pub(crate) fn load(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Self> {
        Self::find(ws, ctx, item)?.ok_or_else(|| Error::plan_not_found(&item.to_string()))
    }

    pub(crate) fn progress(&self) -> PlanProgressView {
        self.plan.progress().into()
    }

    /// The titles of the steps that are neither completed nor skipped.
    pub(crate) fn open_titles(&self) -> Vec<String> {
        let open = |step: &&PlanStep| !matches!(step.status, StepStatus::Completed | StepStatus::Skipped);
        self.plan.steps.iter().filter(open).map(|step| step.title.clone()).collect()
    }

    pub(crate) fn view(&self) -> PlanView {
        let numbers = self.numbers();
        let steps = self.plan.steps.iter().zip(numbers).map(|(step, number)| PlanStepView {
            index: step.index,
            number: Some(number).filter(|_| matches!(self.item, WorkItem::Change(_))),
            title: step.title.clone(),
            description: step.description.clone(),
            complexity: step.complexity.to_string(),
            status: step.status,
            notes: step.notes.clone(),
        });
        PlanView { approach: self.plan.approach.clone(), steps: steps.collect() }
    }

    /// The transaction that puts a new text in the place of this one.
    pub(super) fn replaced_by(&self, text: String) -> Transaction {
        let mut transaction = Transaction::new();
        transaction.put(DocKey::Plan(self.item.clone()), text, Expect::Hash(self.document.hash));
        transaction
    }

    /// This plan with another text.
    pub(super) fn reread(&self, text: String) -> Self {
        let plan = read(&self.item, &text);
        Self { document: Doc { text, ..self.document.clone() }, plan, item: self.item.clone() }
    }

    /// The text with one step ticked.
    pub(super) fn completed(&self, index: usize, notes: Option<&str>, now: &str) -> Result<String> {
        let text = &self.document.text;
        match self.item {
            WorkItem::Spec(_) => {
                plan::complete_step(text, index, notes, now).map_err(|error| self.resists(error))
            }
            WorkItem::Change(_) => {
                tasks::edit::complete(text, index, notes).map_err(|error| self.resists(error))
            }
        }
    }

    /// The text with one step open again.
    pub(super) fn reopened(&self, index: usize, reason: &str, now: &str) -> Result<String> {
        let text = &self.document.text;
        match self.item {
            WorkItem::Spec(_) => {
                plan::reopen_step(text, index, reason, now).map_err(|error| self.resists(error))
            }
            WorkItem::Change(_) => {
                tasks::edit::reopen(text, index, reason).map_err(|error| self.resists(error))
            }
        }
    }

    /// What each step is called by: the number it has in a task list, else its place counted from 1.
    pub(crate) fn numbers(&self) -> Vec<String> {
        let document = Document::parse(&self.document.text);
        let own: Vec<Option<String>> = match self.item {
            WorkItem::Spec(_) => Vec::new(),
            WorkItem::Change(_) => {
                TasksDoc::read(&document).tasks().map(|task| task.number.map(str::to_owned)).collect()
            }
        };
        let own = |at: usize| own.get(at).cloned().flatten();
        (0..self.plan.steps.len()).map(|at| own(at).unwrap_or_else(|| (at + 1).to_string())).collect()
    }

    /// A title as the plan has it: somebody may send the line that they read, with its box and number.
    pub(super) fn title_meant(&self, title: &str) -> String {
        let known = |title: &str| {
            let title = title.to_lowercase();
            self.plan.steps.iter().any(|step| step.title.to_lowercase() == title)
        };
        let title = normalised_title(title);
        let bare = match self.item {
            WorkItem::Spec(_) => plan::bare_title(&title),
            WorkItem::Change(_) => tasks::bare_title(&title),
        };
        // A new title that begins with a number may mean it.
        if !known(&title) && known(bare) { bare.to_owned() } else { title }
    }

    /// The text with another approach or other steps.
    pub(super) fn edited(&self, changes: &PlanChanges, now: &str) -> Result<Edited> {
        match self.item {
            WorkItem::Spec(_) => self.edited_plan(changes, now),
            WorkItem::Change(_) => Ok(self.edited_tasks(changes)),
        }
    }

    fn edited_plan(&self, changes: &PlanChanges, now: &str) -> Result<Edited> {
        let mut edited = Edited { text: self.document.text.clone(), kept: Vec::new(), dropped: Vec::new() };
        if let Some(steps) = &changes.steps {
            let carried = carry_over(&self.plan.steps, &Plan::remarks(&edited.text), steps);
            edited.text =
                plan::replace_steps(&edited.text, &carried.steps).map_err(|error| self.resists(error))?;
            (edited.kept, edited.dropped) = (carried.kept, carried.dropped);
        }
        if let Some(approach) = &changes.approach {
            edited.text = plan::set_approach(&edited.text, approach).map_err(|error| self.resists(error))?;
        }
        edited.text = plan::touch(&edited.text, now).map_err(|error| self.resists(error))?;
        Ok(edited)
    }

    fn edited_tasks(&self, changes: &PlanChanges) -> Edited {
        let mut edited = Edited { text: self.document.text.clone(), kept: Vec::new(), dropped: Vec::new() };
        if let Some(steps) = &changes.steps {
            let steps = self.tasks_for(steps);
            let replaced = tasks::replace_steps(&edited.text, &steps);
            edited = Edited { text: replaced.text, kept: replaced.kept, dropped: replaced.dropped };
        }
        if let Some(approach) = &changes.approach {
            edited.text = tasks::edit::replace_approach(&edited.text, approach);
        }
        edited
    }

    /// Steps as tasks; those that are there already keep what people wrote below them.
    fn tasks_for(&self, steps: &[StepInput]) -> Vec<tasks::NewStep> {
        let mut left: VecDeque<&PlanStep> = self.plan.steps.iter().collect();
        let mut task = |input: &StepInput| {
            let mut task = new_task(input);
            let title = normalised_title(&input.title).to_lowercase();
            let twin = left.iter().position(|step| step.title.to_lowercase() == title);
            if let Some(twin) = twin.and_then(|at| left.remove(at))
                && !task.description.trim().is_empty()
            {
                task.description = kept_description(&twin.description, "", &task.description);
            }
            task
        };
        steps.iter().map(&mut task).collect()
    }

    fn resists(&self, error: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::cannot_edit(self.document.path.as_str(), error)
    }
}

/// The text of a new plan.
pub(super) fn render(item: &WorkItem, new: &NewPlan, now: &str) -> String {
    match item {
        WorkItem::Spec(id) => Plan {
            spec_id: id.to_string(),
            approach: new.approach.clone(),
            steps: new.steps.iter().enumerate().map(|(index, step)| fresh_step(index, step)).collect(),
            created_at: Some(now.to_owned()),
            updated_at: Some(now.to_owned()),
        }
        .render(),
        WorkItem::Change(_) => tasks::render(&tasks::NewTasks {
            approach: Some(new.approach.clone()),
            groups: vec![tasks::NewGroup {
                name: TASK_GROUP.to_owned(),
                steps: new.steps.iter().map(new_task).collect(),
            }],
        }),
    }
}

fn read(item: &WorkItem, text: &str) -> Plan {
    match item {
        WorkItem::Spec(_) => Plan::read(text).0,
        WorkItem::Change(_) => read_tasks(item, text),
    }
}

fn read_tasks(item: &WorkItem, text: &str) -> Plan {
    let document = Document::parse(text);
    let list = TasksDoc::read(&document);
    let steps = list.tasks().map(|task| {
        let detail = tasks::detail(text, task);
        PlanStep {
            index: task.index,
            title: task.title.to_owned(),
            description: detail.description,
            complexity: detail.complexity.and_then(|name| name.parse().ok()).unwrap_or_default(),
            status: match task.status {
                TaskStatus::Open => StepStatus::Pending,
                TaskStatus::Done => StepStatus::Completed,
            },
            notes: detail.notes,
        }
    });
    Plan {
        spec_id: item.to_string(),
        approach: document.slice(list.intro.clone()).to_owned(),
        steps: steps.collect(),
        created_at: None,
        updated_at: None,
    }
}

fn new_task(input: &StepInput) -> tasks::NewStep {
    tasks::NewStep {
        title: input.title.clone(),
        description: input.description.clone(),
        complexity: input.complexity.map(|complexity| complexity.to_string()),
    }
}

fn fresh_step(index: usize, input: &StepInput) -> PlanStep {
    PlanStep {
        index,
        title: input.title.clone(),
        description: input.description.clone(),
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

fn carry_over(old: &[PlanStep], remarks: &[String], new: &[StepInput]) -> CarriedOver {
    // Two steps may share a title: the first new one takes from the first old one, and so on.
    let mut left: VecDeque<&PlanStep> = old.iter().collect();
    let mut kept = Vec::new();
    let mut steps = Vec::with_capacity(new.len());
    for (index, input) in new.iter().enumerate() {
        let title = normalised_title(&input.title);
        let twin = left.iter().position(|step| step.title == title).and_then(|at| left.remove(at));
        let mut step = fresh_step(index, input);
        if let Some(twin) = twin {
            step.status = twin.status;
            step.notes.clone_from(&twin.notes);
            let remarks = remarks.get(twin.index).map_or("", String::as_str);
            step.description = kept_description(&twin.description, remarks, &step.description);
            step.complexity = input.complexity.unwrap_or(twin.complexity);
            kept.push(twin.title.clone());
        }
        steps.push(step);
    }
    let dropped = left.into_iter().map(|step| step.title.clone()).collect();
    CarriedOver { steps, kept, dropped }
}
