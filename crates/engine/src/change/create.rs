//! `change_create`: a new proposal with its tasks and deltas.

use std::collections::BTreeMap;

use hewto_core::change::{BaseRecord, Origin, Proposal, in_words, render_proposal};
use hewto_core::decision::uid::Uid;
use hewto_core::delta::{DeltaDoc, NewDelta};
use hewto_core::document::Document;
use hewto_core::id::{SpecId, is_plain_name};
use hewto_core::rules::changes as rules;
use hewto_core::tasks::{self, NewGroup, NewStep, NewTasks};
use hewto_store::change_files::{BASE, PROPOSAL, TASKS, delta_to};
use hewto_store::{Context, DocKey, Expect, LayoutKind, RelPath, Transaction};

use super::folder::dialect;
use super::overlaps::overlaps;
use crate::decision;
use crate::error::{Error, Result};
use crate::item::{parse_change_id, parse_spec_id};
use crate::text;
use crate::view::ChangeCreated;
use crate::workspace::Workspace;

/// The heading of tasks that were given as plain titles.
const TASK_GROUP: &str = "Implementation";

/// What a new change is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewChange {
    pub change_id: String,
    pub why: String,
    pub what_changes: String,
    /// Titles.
    pub tasks: Vec<String>,
    /// By capability.
    pub deltas: BTreeMap<String, NewDelta>,
    /// The UID of the decision that it follows from.
    pub decision: Option<String>,
}

/// Writes the folder of a new change, and the base of what it touches.
pub fn create(ws: &Workspace, ctx: &Context, new: &NewChange) -> Result<ChangeCreated> {
    let id = parse_change_id(&new.change_id)?;
    if !is_plain_name(id.as_str()) {
        return Err(Error::validation(format!("`{id}` is no name for a new change"))
            .detail("field", "change_id")
            .hint("use lower-case letters, digits, `.`, `_` and `-`, such as `add-two-factor`"));
    }
    let why = text::required("why", &new.why)?;
    let what_changes = text::required("what_changes", &new.what_changes)?;
    let titles = new
        .tasks
        .iter()
        .enumerate()
        .map(|(index, title)| text::title(&format!("tasks/{index}"), title))
        .collect::<Result<Vec<_>>>()?;
    let deltas = new
        .deltas
        .iter()
        .map(|(capability, delta)| Ok((parse_spec_id("deltas", capability)?, rendered(capability, delta)?)))
        .collect::<Result<Vec<(SpecId, String)>>>()?;

    let decision = new.decision.as_deref().map(|uid| decision::require(ws, ctx, uid)).transpose()?;

    let lock = ws.store().lock(ctx)?;
    let root = ws.layout().change_home(LayoutKind::Spox);
    let folder = root.folder(&id).ok_or_else(|| reserved(id.as_str()))?;
    if ws.store().change(ctx, &id)?.is_some() {
        return Err(taken(id.as_str()));
    }
    let path = |below: &str| -> Result<RelPath> {
        folder
            .join(below)
            .map_err(|error| Error::invalid_argument("deltas", "a capability", error.to_string()))
    };
    let mut base = BaseRecord::default();
    let mut files = vec![(path(PROPOSAL)?, proposal(id.as_str(), &why, &what_changes, decision.as_ref())?)];
    if !titles.is_empty() {
        files.push((path(TASKS)?, tasks::render(&task_list(titles))));
    } else if rules::TASKS_MISSING.under(dialect(root.owner)).is_some() {
        files.push((path(TASKS)?, tasks::PLACEHOLDER.to_owned()));
    }
    for (capability, text) in deltas {
        // A delta for a spec that could never be written would wait in vain for its archive.
        let mut archiving = Transaction::at_home(root.owner);
        archiving.put(DocKey::Spec(capability.clone()), "", Expect::Any);
        ws.store().rehearse(ctx, archiving)?;
        let current = ws.store().read(ctx, &DocKey::Spec(capability.clone()))?;
        let document = Document::parse(&text);
        let delta = DeltaDoc::read(&document);
        base.record(
            capability.as_str(),
            &delta,
            current.as_ref().map(|doc| doc.text.as_str()),
            Origin::Written,
        );
        files.push((path(&delta_to(capability.as_str()))?, text));
    }
    if !base.capabilities.is_empty() {
        files.push((path(BASE)?, base.to_json()));
    }
    let mut transaction = Transaction::new();
    for (path, text) in &files {
        transaction.put(DocKey::File(path.clone()), text.as_str(), Expect::Absent);
    }
    lock.commit(ctx, transaction)?;
    drop(lock);
    Ok(ChangeCreated {
        change_id: id.to_string(),
        created: true,
        path: format!("{folder}/"),
        files: files.iter().map(|(path, _)| path.to_string()).collect(),
        overlaps: overlaps(ws, ctx)?
            .overlaps
            .into_iter()
            .filter(|overlap| overlap.changes.iter().any(|c| c == id.as_str()))
            .collect(),
    })
}

fn reserved(id: &str) -> Error {
    Error::validation(format!("the name `{id}` is reserved and cannot be a change's"))
        .detail("field", "change_id")
        .detail("change_id", id)
        .hint("choose another id")
}

fn taken(id: &str) -> Error {
    Error::validation(format!("there is a change named `{id}` already"))
        .detail("change_id", id)
        .hint("choose another id, or edit the change that is there")
}

fn task_list(titles: Vec<String>) -> NewTasks {
    let steps =
        titles.into_iter().map(|title| NewStep { title, description: String::new(), complexity: None });
    NewTasks {
        approach: None,
        groups: vec![NewGroup { name: TASK_GROUP.to_owned(), steps: steps.collect() }],
    }
}

/// The text of the proposal, if what was given reads back from it. Sections of its own may follow what changes.
fn proposal(id: &str, why: &str, what_changes: &str, decision: Option<&Uid>) -> Result<String> {
    let text = render_proposal(&in_words(id), why, what_changes, decision);
    let document = Document::parse(&text);
    let read = Proposal::read(&document);
    let lost = match (&read.why, &read.what_changes) {
        (Some(read), _) if read.text != why.trim() => Some("why"),
        (_, Some(read)) if !read.text.is_empty() && what_changes.trim().starts_with(read.text) => None,
        _ => Some("what_changes"),
    };
    match lost {
        None => Ok(text),
        Some(field) => Err(Error::validation(format!("`{field}` does not read back as it was given"))
            .detail("field", field)
            .hint("close every code fence and comment, and begin with text instead of a heading")),
    }
}

/// The text of a delta, if what was given reads back from it.
fn rendered(capability: &str, delta: &NewDelta) -> Result<String> {
    let field = |problem: &str| {
        Error::validation(format!("the delta for `{capability}` {problem}")).detail("capability", capability)
    };
    if delta.is_empty() {
        return Err(field("does nothing").hint("give at least one of added, modified, removed, renamed"));
    }
    let text = text::free("deltas", &delta.render())?;
    let document = Document::parse(&text);
    let read = DeltaDoc::read(&document);
    let names = |requirements: &[hewto_core::delta::NewRequirement]| -> Vec<(String, Vec<String>)> {
        let scenarios = |requirement: &hewto_core::delta::NewRequirement| {
            requirement.scenarios.iter().map(|scenario| scenario.name.trim().to_owned()).collect()
        };
        requirements
            .iter()
            .map(|requirement| (requirement.name.trim().to_owned(), scenarios(requirement)))
            .collect()
    };
    let names_read =
        |requirements: &[hewto_core::requirement::Requirement<'_>]| -> Vec<(String, Vec<String>)> {
            let scenarios = |requirement: &hewto_core::requirement::Requirement<'_>| {
                requirement.scenarios.iter().map(|scenario| scenario.name.to_owned()).collect()
            };
            requirements
                .iter()
                .map(|requirement| (requirement.name.to_owned(), scenarios(requirement)))
                .collect()
        };
    let renames = read.renamed.iter().map(|rename| (rename.from, rename.to));
    let same = names(&delta.added) == names_read(&read.added)
        && names(&delta.modified) == names_read(&read.modified)
        && read.removed.iter().map(|removal| removal.name).eq(delta.removed.iter().map(|r| r.name.trim()))
        && renames.eq(delta.renamed.iter().map(|rename| (rename.from.trim(), rename.to.trim())))
        && read.oddities.is_empty();
    if same {
        Ok(text)
    } else {
        Err(field("does not read back as it was given").hint(
            "give every requirement and scenario a name on one line, and no Markdown headings inside texts",
        ))
    }
}
