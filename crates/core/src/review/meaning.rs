//! What a piece of work means: the texts that an approval is about, and nothing that changes as work goes on.
//!
//! Ticks, notes, times, numbers of steps, blank lines, line ends and blanks at the end of lines are no part of it. The
//! written form ([`Meaning::written`]) is what is hashed, so whoever has it can show what was approved.

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use crate::document::{Document, opening};
use crate::outline::lines;
use crate::plan::Plan;
use crate::spec::SpecHead;
use crate::tasks::{PLACEHOLDER, Task, TasksDoc, detail, says_what_it_proves};

/// Says how the rest is to be understood; another way to hash gets another number.
const FORM: u8 = 1;

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
    pub title: String,
    pub description: String,
    /// The lines that name what the step proves.
    pub proves: Vec<String>,
}

impl Meaning {
    /// The meaning of a spec with its plan.
    pub fn of_spec(item: &str, spec: &str, plan: Option<&str>) -> Self {
        let head = SpecHead::read(spec);
        let own: Vec<String> = [head.title, head.description].into_iter().flatten().collect();
        let body = &spec[opening(spec).body_start..];
        let plan = plan.map(|text| Plan::read(text).0).unwrap_or_default();
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
            steps: plan
                .steps
                .iter()
                .map(|step| Step {
                    title: step.title.clone(),
                    description: plain(&step.description),
                    proves: Vec::new(),
                })
                .collect(),
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
        }
    }

    /// The bytes that are hashed.
    pub fn written(&self) -> String {
        serde_json::to_string(self).expect("texts can be written as JSON")
    }

    /// Reads what [`Self::written`] wrote, if it is what this digest stands for.
    pub fn read_back(written: &str, digest: &Digest) -> Option<Self> {
        if Digest::of(written.as_bytes()) != *digest {
            return None;
        }
        serde_json::from_str(written).ok()
    }

    pub fn digest(&self) -> Digest {
        Digest::of(self.written().as_bytes())
    }
}

fn step_of_task(text: &str, task: &Task<'_>) -> Step {
    let detail = detail(text, task);
    let proves = lines(text, task.body.clone()).map(|line| line.text.trim().to_owned());
    Step {
        title: task.title.to_owned(),
        description: plain(&detail.description),
        proves: proves.filter(|line| says_what_it_proves(line)).collect(),
    }
}

/// The lines of a text that say something.
pub(super) fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let said = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    said.collect::<Vec<_>>().join("\n")
}
