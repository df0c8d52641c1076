//! `change_create`: a new proposal with its tasks and deltas.

use std::collections::BTreeMap;

use hewto_core::change::{BaseRecord, Origin, Proposal, in_words, render_proposal};
use hewto_core::decision::uid::Uid;
use hewto_core::delta::{DeltaDoc, NewDelta};
use hewto_core::document::Document;
use hewto_core::id::{ChangeId, SpecId, is_plain_name};
use hewto_core::rules::changes as rules;
use hewto_core::tasks::{self, NewGroup, NewStep, NewTasks};
use hewto_store::change_files::{BASE, METADATA, PROPOSAL, TASKS, delta_to};
use hewto_store::{ChangeEntry, Context, DocKey, Expect, LayoutKind, Transaction};

use super::acceptance::with_scenarios;
use super::bases;
use super::compose::{DeltaContext, compose};
use super::folder::dialect;
use super::meant::{capability_meant, no_name, twice};
use super::next::{self, Lane};
use super::overlaps::overlaps;
use crate::check::{Strictness, validate_change};
use crate::decision;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::item::parse_change_id;
use crate::text;
use crate::view::{ChangeCreated, OverlapView};
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
    /// What new capabilities are for, where their delta does not say so itself.
    pub purpose: Option<String>,
    /// The UID of the decision that it follows from.
    pub decision: Option<String>,
}

/// Writes the folder of a new change and the base of what it touches, and judges it.
pub fn create(ws: &Workspace, ctx: &Context, new: &NewChange) -> Result<ChangeCreated> {
    let mut faults = Faults::begin(ctx);
    let id = faults.take(new_id(&new.change_id));
    let why = faults.take(text::required("why", &new.why));
    let what_changes = faults.take(text::required("what_changes", &new.what_changes));
    let titles: Vec<String> = new
        .tasks
        .iter()
        .enumerate()
        .filter_map(|(index, title)| faults.take(text::title(&format!("tasks/{index}"), title)))
        .collect();
    let decision = new.decision.as_deref().map(|uid| decision::require(ws, ctx, uid)).transpose();
    let decision = faults.take(decision).flatten();

    let in_git = !new.deltas.is_empty() && bases::is_in_git(ws, ctx);
    let (lock, ref ws) = ws.lock(ctx)?;
    let new = &NewChange { deltas: with_scenarios(ws, ctx, decision.as_ref(), new), ..new.clone() };
    let deltas = composed(ws, ctx, new, &mut faults)?;
    let entry = id.as_ref().map(|id| free_place(ws, ctx, id)).transpose();
    let entry = faults.take(entry).flatten();
    let (Some(id), Some(why), Some(what_changes)) = (id, why, what_changes) else {
        return Err(faults.finish().err().unwrap_or_else(|| Error::validation("the change is not complete")));
    };
    let proposal = faults.take(proposal(id.as_str(), &why, &what_changes, decision.as_ref()));
    faults.finish()?;
    let entry = entry.ok_or_else(|| reserved(id.as_str()))?;
    let key = |below: &str| -> Result<DocKey> {
        entry
            .folder
            .document(below)
            .map_err(|error| Error::invalid_argument("deltas", "a capability", error.to_string()))
    };
    let lane = Lane::of(&titles, &new.deltas);
    let (none, mut base) = (BaseRecord::default(), BaseRecord::default());
    let mut files = vec![(key(PROPOSAL)?, proposal.unwrap_or_default())];
    if !titles.is_empty() {
        files.push((key(TASKS)?, tasks::render(&task_list(&titles))));
    } else if rules::TASKS_MISSING.under(dialect(entry.owner)).is_some() {
        files.push((key(TASKS)?, tasks::PLACEHOLDER.to_owned()));
    }
    for Composed { capability, current, text } in deltas {
        // A delta for a spec that could never be written would wait in vain for its archive.
        let mut archiving = Transaction::at_home(entry.owner);
        archiving.put(DocKey::Spec(capability.clone()), "", Expect::Any);
        ws.store().rehearse(ctx, archiving)?;
        let document = Document::parse(&text);
        let delta = DeltaDoc::read(&document);
        base.record(capability.as_str(), &delta, current.as_deref(), Origin::Written);
        files.push((key(&delta_to(capability.as_str()))?, text));
    }
    if lane == Lane::QuickWithoutRequirement {
        files.push((key(METADATA)?, NO_DELTAS.to_owned()));
    }
    // Whatever the machine kept of another change of this name is over.
    let is_kept = bases::keep(ws, id.as_str(), if in_git { &base } else { &none });
    let is_elsewhere = in_git && is_kept;
    if !base.capabilities.is_empty() && !is_elsewhere {
        files.push((key(BASE)?, base.to_json()));
    }
    let mut transaction = Transaction::new();
    for (key, text) in &files {
        transaction.put(key.clone(), text.as_str(), Expect::Absent);
    }
    lock.commit(ctx, transaction)?;
    drop(lock);
    let validation = validate_change(ws, ctx, Some(id.as_str()), Strictness::Normal)?;
    Ok(ChangeCreated {
        change_id: id.to_string(),
        created: true,
        path: format!("{}/", entry.folder),
        files: files.iter().map(|(key, _)| key.to_string()).collect(),
        overlaps: overlaps_of(ws, ctx, id.as_str())?,
        next: next::after_writing(ctx, id.as_str(), &validation, lane, new.tasks.len()),
        validation,
    })
}

/// Other open changes that touch what this one touches.
pub(super) fn overlaps_of(ws: &Workspace, ctx: &Context, id: &str) -> Result<Vec<OverlapView>> {
    let all = overlaps(ws, ctx)?.overlaps;
    Ok(all.into_iter().filter(|overlap| overlap.changes.iter().any(|change| change == id)).collect())
}

/// What `.openspec.yaml` says of a change that touches no requirement.
pub(crate) const NO_DELTAS: &str = "schema: spec-driven\nskip_specs: true\n";

/// A delta ready to be written.
struct Composed {
    capability: SpecId,
    current: Option<String>,
    text: String,
}

fn composed(ws: &Workspace, ctx: &Context, new: &NewChange, faults: &mut Faults) -> Result<Vec<Composed>> {
    let mut deltas = Vec::new();
    for (name, delta) in &new.deltas {
        let Some(capability) = faults.take(capability_meant(name)) else { continue };
        if deltas.iter().any(|other: &Composed| other.capability == capability) {
            faults.push(twice(name, &capability));
            continue;
        }
        let current = ws.store().read(ctx, &DocKey::Spec(capability.clone()))?.map(|doc| doc.text);
        if current.is_none() && !capability.is_plain() {
            faults.push(no_name(name, &capability));
        }
        let mut delta = delta.clone();
        if current.is_none() && delta.purpose.is_none() && delta.raw.is_none() {
            delta.purpose.clone_from(&new.purpose);
        }
        let around = DeltaContext { capability: capability.as_str(), spec: current.as_deref(), delta: None };
        if let Some(text) = faults.take(compose(&around, &delta)) {
            deltas.push(Composed { capability, current, text });
        }
    }
    Ok(deltas)
}

fn new_id(name: &str) -> Result<ChangeId> {
    let id = parse_change_id(name)?;
    if is_plain_name(id.as_str()) {
        return Ok(id);
    }
    Err(Error::validation(format!("`{id}` is not a name for a new change"))
        .detail("field", "change_id")
        .hint("use lower-case letters, digits, `.`, `_` and `-`, such as `add-two-factor`"))
}

/// Where a new change of this name goes.
fn free_place(ws: &Workspace, ctx: &Context, id: &ChangeId) -> Result<ChangeEntry> {
    if ws.store().change(ctx, id)?.is_some() {
        return Err(taken(id.as_str()));
    }
    ws.store().new_change(id, LayoutKind::Spox).ok_or_else(|| reserved(id.as_str()))
}

fn reserved(id: &str) -> Error {
    Error::validation(format!("the name `{id}` is reserved and cannot be a change's"))
        .detail("field", "change_id")
        .detail("change_id", id)
        .hint("choose another id")
}

fn taken(id: &str) -> Error {
    Error::validation(format!("there is a change named `{id}` already"))
        .detail("field", "change_id")
        .detail("change_id", id)
        .hint("choose another id, or edit the change that is there")
}

fn task_list(titles: &[String]) -> NewTasks {
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let step = |title: &str| NewStep { title: title.to_owned(), ..NewStep::default() };
    let steps = tasks::uncounted(&titles, None).into_iter().map(step);
    NewTasks {
        approach: None,
        groups: vec![NewGroup { name: TASK_GROUP.to_owned(), steps: steps.collect() }],
    }
}

/// The text of the proposal, if what was given reads back from it. Sections of its own may follow what changes.
pub(super) fn proposal(id: &str, why: &str, what_changes: &str, decision: Option<&Uid>) -> Result<String> {
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
