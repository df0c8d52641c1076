//! What a piece of work means: all that its documents say, and nothing that changes as work goes on.
//!
//! Ticks, notes, times, numbers of steps in a plan, blank lines, line ends and how many blanks stand between words are no
//! part of it. The written form ([`Meaning::written`]) is what is hashed, so whoever has it can show what was approved.

use serde::{Deserialize, Serialize};

use super::around::{around, front_matter, is_told_of_spec};
use super::digest::Digest;
use super::plain::{plain, words};
use crate::document::{Document, Span, opening};
use crate::plan::{Plan, PlanSpans};
use crate::spec::SpecHead;
use crate::tasks::{PLACEHOLDER, Task, TasksDoc, lines_but_notes};

/// How a meaning is hashed; another way gets another number. The first left out headings and prose between steps, other
/// sections of a plan, complexities and most of a front matter.
pub const FORM: u8 = 2;

/// The meaning of one work item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning {
    form: u8,
    /// As it is named in arguments: a spec id, or `change:<id>`.
    pub item: String,
    /// A spec's own words about itself, or a change's proposal.
    pub proposal: String,
    /// How, where a change has a document for it.
    pub design: String,
    /// What a change does to each capability, in their order.
    pub deltas: Vec<(String, String)>,
    pub category: Option<String>,
    pub dependencies: Vec<Dependence>,
    pub approach: String,
    pub steps: Vec<Step>,
    /// What else the plan says: the first before all steps, the last behind them, the others between two of them.
    pub around: Vec<String>,
    /// What front matters say that is read nowhere else, with the name of the document.
    pub front: Vec<(String, String)>,
}

/// What a spec depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    pub on: String,
    pub kind: String,
}

/// What one step of the plan promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// As a task list has it; in a plan it is only the place of the step.
    pub number: Option<String>,
    pub title: String,
    /// All below the title but notes and how far it is: also what it proves and how hard it is.
    pub description: String,
}

impl Meaning {
    /// The meaning of a spec with its plan.
    pub fn of_spec(item: &str, spec: &str, plan: Option<&str>) -> Self {
        let head = SpecHead::read(spec);
        let own: Vec<String> = [head.title, head.description].into_iter().flatten().collect();
        let body = &spec[opening(spec).body_start..];
        let text = plan.unwrap_or_default();
        let plan = Plan::read(text).0;
        let document = Document::parse(text);
        let spans = PlanSpans::of(&document);
        let steps = plan.steps.iter().zip(&spans.beside).map(|(step, beside)| Step {
            number: None,
            title: words(&step.title),
            description: plain(&format!("{}\n{beside}", step.description)),
        });
        let is_copy = |key: &str, value: &str| match key {
            "spec_id" => value == item,
            "approach" => plain(value) == plain(&plan.approach),
            _ => false,
        };
        let front = [
            ("spec", front_matter(spec, is_told_of_spec)),
            (
                "plan",
                front_matter(text, |entry| {
                    entry.node.as_str().is_some_and(|value| is_copy(&entry.key, value))
                }),
            ),
        ];
        Self {
            form: FORM,
            item: item.to_owned(),
            proposal: plain(&format!("{}\n{body}", own.join("\n"))),
            design: String::new(),
            deltas: Vec::new(),
            category: head.category.map(|category| category.to_string()),
            dependencies: head
                .dependencies
                .iter()
                .map(|one| Dependence { on: one.target.clone(), kind: one.kind.to_string() })
                .collect(),
            approach: plain(&plan.approach),
            steps: steps.collect(),
            around: around(text, document.body_start(), &spans.steps, &spans.approach),
            front: that_say_something(front),
        }
    }

    /// The meaning of a change; `deltas` are pairs of a capability and a text.
    pub fn of_change<'t>(
        item: &str,
        proposal: Option<&str>,
        design: Option<&str>,
        deltas: impl IntoIterator<Item = (&'t str, &'t str)>,
        tasks: Option<&str>,
    ) -> Self {
        let mut deltas: Vec<(String, String)> =
            deltas.into_iter().map(|(capability, text)| (capability.to_owned(), plain(text))).collect();
        deltas.sort();
        let tasks = tasks.filter(|text| *text != PLACEHOLDER).unwrap_or_default();
        let document = Document::parse(tasks);
        let list = TasksDoc::read(&document);
        let spans: Vec<Span> = list.tasks().map(|task| task.line.start..task.end()).collect();
        Self {
            form: FORM,
            item: item.to_owned(),
            proposal: plain(proposal.unwrap_or_default()),
            design: plain(design.unwrap_or_default()),
            deltas,
            category: None,
            dependencies: Vec::new(),
            approach: plain(document.slice(list.intro.clone())),
            steps: list.tasks().map(|task| step_of_task(tasks, task)).collect(),
            around: around(tasks, document.body_start(), &spans, &list.intro),
            front: that_say_something([("tasks", front_matter(tasks, |_| false))]),
        }
    }

    /// The bytes that are hashed.
    pub fn written(&self) -> String {
        serde_json::to_string(self).expect("texts can be written as JSON")
    }

    /// Reads what [`Self::written`] wrote, if it is what this digest stands for and of the form of today.
    pub fn read_back(written: &str, digest: &Digest) -> Option<Self> {
        if Digest::of(written.as_bytes()) != *digest {
            return None;
        }
        serde_json::from_str(written).ok().filter(|meaning: &Self| meaning.form == FORM)
    }

    pub fn digest(&self) -> Digest {
        Digest::of(self.written().as_bytes())
    }
}

fn step_of_task(text: &str, task: &Task<'_>) -> Step {
    Step {
        number: task.number.map(str::to_owned),
        title: words(task.title),
        description: plain(&lines_but_notes(text, task).join("\n")),
    }
}

fn that_say_something<const N: usize>(front: [(&str, String); N]) -> Vec<(String, String)> {
    let said = front.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(name, text)| (name.to_owned(), text)).collect()
}
