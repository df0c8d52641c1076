//! `get_change`: a change in full, or one section of it.

use std::collections::BTreeMap;
use std::str::FromStr;

use hewto_core::change::Proposal;
use hewto_core::delta::{DeltaDoc, NewRequirement, NewScenario};
use hewto_core::document::{Document, EolStyle};
use hewto_core::requirement::Requirement;
use hewto_core::schema::one_of;
use hewto_core::tasks::{TaskStatus, TasksDoc};
use hewto_store::change_files::DESIGN;
use hewto_store::{Context, Doc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::ChangeFolder;
use super::folder::{Standing, read_file};
use crate::error::{Error, Result};
use crate::page::DEFAULT_MAX_CHARS;
use crate::requirement::requirement_view;
use crate::view::{
    ChangeView, DeltaRequirementView, DeltaView, ProposalView, RenameView, RequirementView, TaskGroupView,
    TaskView, TasksView,
};
use crate::workspace::Workspace;

/// A part of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    Proposal,
    Tasks,
    Design,
    Deltas,
}

/// Which parts of a change are wanted, and how much of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ShowOptions {
    #[serde(default)]
    #[schemars(schema_with = "sections")]
    pub section: Option<Section>,
    /// Only its delta
    pub capability: Option<String>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    pub max_chars: Option<usize>,
}

fn sections(_: &mut SchemaGenerator) -> Schema {
    one_of(["proposal", "tasks", "design", "deltas"])
}

impl FromStr for Section {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "proposal" => Ok(Self::Proposal),
            "tasks" => Ok(Self::Tasks),
            "design" => Ok(Self::Design),
            "deltas" => Ok(Self::Deltas),
            _ => Err(Error::invalid_argument(
                "section",
                "one of proposal, tasks, design, deltas",
                format!("`{text}` is not a section of a change"),
            )),
        }
    }
}

/// A change with everything that fits.
pub fn show(ws: &Workspace, ctx: &Context, id: &str, options: &ShowOptions) -> Result<ChangeView> {
    let (folder, standing) = ChangeFolder::load_any(ws, ctx, id)?;
    let wants = |section| options.section.is_none_or(|wanted| wanted == section);
    let mut budget = Budget { left: options.max_chars.unwrap_or(DEFAULT_MAX_CHARS), left_out: Vec::new() };
    let mut view = ChangeView {
        id: folder.id().to_owned(),
        title: folder.title(),
        archived: (standing == Standing::Archived).then(|| format!("{}/", folder.entry.folder)),
        ..ChangeView::default()
    };
    if wants(Section::Proposal) {
        view.proposal = budget.take("proposal", proposal(folder.proposal.as_ref()));
    }
    if wants(Section::Tasks) {
        view.tasks = budget.take("tasks", tasks(folder.planned_tasks()));
    }
    if wants(Section::Design) {
        match read_file(ws, ctx, folder.entry.file(DESIGN)) {
            Ok(design) => view.design = design.and_then(|doc| budget.take("design", doc.text)),
            Err(error) => budget.left_out.push(format!("{DESIGN}: {}", error.full_message())),
        }
    }
    if wants(Section::Deltas) {
        view.deltas = Some(deltas(&folder, options, &mut budget)?);
    }
    let unreadable = folder.unreadable.iter().map(|one| format!("{}: {}", one.file, one.message));
    view.left_out = budget.left_out.into_iter().chain(unreadable).collect();
    Ok(view)
}

/// What is left of the characters a reply may have, and what did not fit.
struct Budget {
    left: usize,
    left_out: Vec<String>,
}

impl Budget {
    fn take<T: serde::Serialize>(&mut self, what: &str, value: T) -> Option<T> {
        let chars = serde_json::to_string(&value).map_or(0, |text| text.chars().count());
        if chars > self.left {
            self.left_out.push(format!(
                "{what} ({chars} characters): ask for it alone with `section`, and with a larger `max_chars`"
            ));
            return None;
        }
        self.left -= chars;
        Some(value)
    }
}

fn proposal(doc: Option<&Doc>) -> ProposalView {
    let Some(doc) = doc else { return ProposalView::default() };
    let document = Document::parse(&doc.text);
    let proposal = Proposal::read(&document);
    ProposalView {
        why: proposal.why.map(|section| section.text.to_owned()),
        what_changes: proposal.what_changes.map(|section| section.text.to_owned()),
        text: doc.text.clone(),
    }
}

fn tasks(doc: Option<&Doc>) -> TasksView {
    let Some(doc) = doc else { return TasksView::default() };
    let document = Document::parse(&doc.text);
    let list = TasksDoc::read(&document);
    let progress = list.progress();
    let groups = list.groups.iter().map(|group| TaskGroupView {
        title: group.title.map(str::to_owned),
        tasks: group
            .tasks
            .iter()
            .map(|task| TaskView {
                index: task.index,
                number: task.number.map(str::to_owned),
                title: task.title.to_owned(),
                done: task.status == TaskStatus::Done,
            })
            .collect(),
    });
    TasksView { groups: groups.collect(), completed: progress.completed, total: progress.total }
}

fn deltas(
    folder: &ChangeFolder,
    options: &ShowOptions,
    budget: &mut Budget,
) -> Result<BTreeMap<String, DeltaView>> {
    if let Some(wanted) = &options.capability
        && !folder.deltas.iter().any(|delta| delta.capability.as_str() == wanted)
    {
        let known: Vec<&str> = folder.deltas.iter().map(|delta| delta.capability.as_str()).collect();
        return Err(Error::invalid_argument(
            "capability",
            &format!("one of: {}", known.join(", ")),
            format!("the change does not touch `{wanted}`"),
        ));
    }
    let wanted = folder
        .deltas
        .iter()
        .filter(|delta| options.capability.as_deref().is_none_or(|name| name == delta.capability.as_str()));
    let mut views = BTreeMap::new();
    for delta in wanted {
        let name = delta.capability.to_string();
        if let Some(view) = budget.take(&format!("delta for `{name}`"), delta_view(&delta.document)) {
            views.insert(name, view);
        }
    }
    Ok(views)
}

/// A requirement so that it can be written again as it is: by its fields, or by its Markdown where those lose something.
fn whole(document: &Document<'_>, requirement: &Requirement<'_>) -> DeltaRequirementView {
    let view = requirement_view(document, requirement);
    let scenarios = requirement.scenarios.iter().map(|scenario| NewScenario {
        name: scenario.name.to_owned(),
        steps: scenario.steps(document),
        ..NewScenario::default()
    });
    let fields = NewRequirement {
        name: view.name.clone(),
        text: view.text.clone(),
        scenarios: scenarios.collect(),
        raw: None,
    };
    let raw = EolStyle::Lf.applied_to(requirement.raw.trim_end());
    let is_told = fields.settled(None).is_ok_and(|written| written.trim_end() == raw);
    DeltaRequirementView { requirement: view, raw: (!is_told).then_some(raw) }
}

fn delta_view(doc: &Doc) -> DeltaView {
    let document = Document::parse(&doc.text);
    let delta = DeltaDoc::read(&document);
    DeltaView {
        added: delta.added.iter().map(|requirement| whole(&document, requirement)).collect(),
        modified: delta.modified.iter().map(|requirement| whole(&document, requirement)).collect(),
        removed: delta
            .removed
            .iter()
            .map(|removal| RequirementView {
                name: removal.name.to_owned(),
                text: removal.text.trim().to_owned(),
                scenarios: Vec::new(),
            })
            .collect(),
        renamed: delta
            .renamed
            .iter()
            .map(|rename| RenameView { from: rename.from.to_owned(), to: rename.to.to_owned() })
            .collect(),
    }
}
