//! What has been decided: the architecture as a whole, the records one by one, and a record without an interview.

use std::collections::BTreeMap;

use hewto_core::decision::architecture::Snapshot;
use hewto_core::decision::catalogue::{Catalogue, Category, field_name};
use hewto_core::decision::compose::{Ground, compose};
use hewto_core::decision::interview::Outcome;
use hewto_core::decision::text::{clean, one_line};
use hewto_core::decision::trigger::{Patch, Verdict};
use hewto_core::decision::uid::Uid;
use hewto_core::near::near;
use hewto_store::{Context, DocKey, Expect, Transaction};
use serde_json::json;

use super::complete::{require_complete, two_uids};
use super::failure;
use super::pending;
use super::records::{Record, Records, current_task, greatest_uid};
use super::repository::{Climb, Reach, Repository, Where};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::faults::Faults;
use crate::page::{PageRequest, paginate};
use crate::view::{
    ArchitectureBody, ArchitectureDetails, ArchitectureView, DecisionCard, DecisionCreated, DecisionList,
    DecisionView,
};
use crate::workspace::Workspace;

/// A decision that somebody made without being asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDecision {
    pub category: String,
    /// Fields and values.
    pub fields: Vec<(String, String)>,
    /// Why it was needed.
    pub context: String,
    /// The record that this one takes the place of, and why.
    pub supersedes: Option<Superseded>,
}

/// A record that no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    /// Its UID, or the beginning of it.
    pub uid: String,
    pub reason: String,
}

/// What holds now, computed from the records. Nothing is written.
pub fn read_architecture(repository: &Repository, ctx: &Context) -> Result<ArchitectureView> {
    Ok(holding(repository, &Records::read(repository, ctx)?))
}

fn holding(repository: &Repository, records: &Records) -> ArchitectureView {
    let architecture = &records.architecture;
    let missing: Vec<String> = match architecture.missing_keys.as_slice() {
        [] => architecture.dropped_keys.clone(),
        keys => keys.to_vec(),
    };
    let warning = match () {
        () if !architecture.missing_keys.is_empty() => Some((
            "branches_merged",
            "the latest decision does not know all that other branches decided; the next one will join them",
        )),
        () if !architecture.dropped_keys.is_empty() => Some((
            "snapshot_incomplete",
            "a decision lost what an earlier one had decided: restore it from git",
        )),
        () => None,
    };
    ArchitectureView {
        status: "success".to_owned(),
        architecture: ArchitectureBody {
            uid: architecture.latest.as_ref().map(Uid::to_string),
            categories: categories(&architecture.snapshot),
        },
        source_file: repository.places().architecture_state.to_string(),
        warning: warning.map(|(key, _)| key.to_owned()),
        message: warning.map(|(_, message)| message.to_owned()),
        details: warning.map(|_| ArchitectureDetails { missing_keys: missing }),
    }
}

fn categories(snapshot: &Snapshot) -> BTreeMap<String, BTreeMap<String, String>> {
    let values = |fields: &BTreeMap<String, hewto_core::decision::architecture::Decided>| {
        fields.iter().map(|(field, decided)| (field.clone(), decided.value.clone())).collect()
    };
    snapshot.categories().map(|(name, fields)| (name.to_owned(), values(fields))).collect()
}

/// The decisions of a repository, oldest first.
pub fn list(repository: &Repository, ctx: &Context, page: &PageRequest) -> Result<DecisionList> {
    let records = Records::read(repository, ctx)?;
    let selector = ("decisions", repository.root());
    let (decisions, page) = paginate(&records.all, page, &selector, |record| record.adr.uid.as_str(), card)?;
    Ok(DecisionList { decisions, page })
}

/// All decisions as somebody looks at them: one that cannot be read hides no other.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Every decision with those whose place it takes, oldest first.
    pub(crate) lines: Vec<(DecisionCard, Vec<String>)>,
    pub(crate) architecture: ArchitectureView,
    pub(crate) unreadable: Vec<Error>,
}

pub(crate) fn timeline(repository: &Repository, ctx: &Context) -> Result<Timeline> {
    let (records, unreadable) = Records::readable(repository, ctx)?;
    let lines = records.all.iter().map(|record| {
        let supersedes = record.adr.superseded().iter().map(Uid::to_string).collect();
        (card(record), supersedes)
    });
    let lines = lines.collect();
    Ok(Timeline { lines, architecture: holding(repository, &records), unreadable })
}

/// One decision, by its UID or the beginning of it.
pub fn show(repository: &Repository, ctx: &Context, uid: &str) -> Result<DecisionView> {
    let (records, mut unreadable) = Records::readable(repository, ctx)?;
    // What is not found may be what cannot be read.
    let record = find(&records, uid).map_err(|error| unreadable.pop().unwrap_or(error))?;
    let adr = &record.adr;
    Ok(DecisionView {
        card: card(record),
        previous: adr.previous.as_ref().map(Uid::to_string),
        supersedes: adr.superseded().iter().map(Uid::to_string).collect(),
        merged: adr.merged.iter().map(Uid::to_string).collect(),
        changes: adr.changes.clone(),
        decision: adr.decision.clone(),
        text: record.text.clone(),
    })
}

/// The record with this UID, or the only one whose UID begins so; else the one that was imported under this number.
fn find<'r>(records: &'r Records, uid: &str) -> Result<&'r Record> {
    if let Some(record) = by_alias(records, uid) {
        return Ok(record);
    }
    let mut found = records.all.iter().filter(|record| record.adr.uid.as_str().starts_with(uid));
    match (found.next(), found.next()) {
        (Some(record), None) if !uid.is_empty() => Ok(record),
        (Some(_), Some(_)) if !uid.is_empty() => Err(unknown_decision(uid, "several decisions begin with")),
        _ => {
            let uids = records.all.iter().map(|record| record.adr.uid.as_str());
            Err(unknown_decision(uid, "no decision").detail("near", json!(near(uid, uids, 3))))
        }
    }
}

/// The only imported record of this number: `5`, `0005`, `ADR-0005`.
fn by_alias<'r>(records: &'r Records, name: &str) -> Option<&'r Record> {
    let bare = |name: &str| {
        let name = name.to_lowercase();
        let name = name.strip_prefix("adr").map_or(name.as_str(), |rest| rest.trim_start_matches(['-', ' ']));
        let digits = name.trim_start_matches('0');
        (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
    };
    let wanted = bare(name)?;
    let is_it = |record: &&Record| record.adr.alias.as_deref().and_then(bare).as_ref() == Some(&wanted);
    let mut found = records.all.iter().filter(is_it);
    found.next().filter(|_| found.next().is_none())
}

/// The decision with exactly this UID, in the repository that the workspace belongs to.
pub(crate) fn require(ws: &Workspace, ctx: &Context, uid: &str) -> Result<Uid> {
    let place = Where {
        named: None,
        start: ws.root().to_owned(),
        climb: Climb::Up,
        reach: Reach::Anywhere,
        trust: ws.trust().clone(),
    };
    let repository = Repository::find(&place)?;
    let known = repository.decision_uids(ctx)?;
    known.iter().find(|known| known.as_str() == uid).cloned().ok_or_else(|| {
        let near = near(uid, known.iter().map(Uid::as_str), 3);
        unknown_decision(uid, "no decision").detail("field", "decision").detail("near", json!(near))
    })
}

fn unknown_decision(uid: &str, what: &str) -> Error {
    let shown: String = uid.chars().take(80).collect();
    Error::new(Kind::Refused, Key::DecisionNotFound, format!("{what} `{}`", shown.escape_debug()))
        .hint(Action::ListDecisions.to("see the UIDs"))
}

/// `decision_create`: the same as [`record`], answered with what an agent needs of it.
pub fn create(repository: &Repository, ctx: &Context, new: &NewDecision) -> Result<DecisionCreated> {
    let view = record(repository, ctx, new)?;
    Ok(DecisionCreated {
        status: "success".to_owned(),
        uid: view.card.uid,
        path: view.card.path,
        title: view.card.title,
        category: view.card.category,
        changes: view.changes,
        previous: view.previous,
        supersedes: view.supersedes,
    })
}

/// Writes a record and the state, and no task.
pub fn record(repository: &Repository, ctx: &Context, new: &NewDecision) -> Result<DecisionView> {
    let catalogue = repository.catalogue(ctx)?;
    let (patch, context) = accepted(&catalogue, new)?;
    let places = repository.places();
    let lock = repository.store().lock(ctx).map_err(failure::unlocked)?;
    let records = Records::read(repository, ctx)?;
    require_complete(&records)?;
    let superseded = new.supersedes.as_ref().map(|old| superseded(&records, old)).transpose()?;
    let current = current_task(repository, ctx)?;
    let greatest = greatest_uid(repository, ctx, &records, current.as_ref())?;
    let (adr_uid, task_uid) = two_uids(ctx, greatest.as_ref())?;
    let ground = Ground {
        architecture: &records.architecture,
        previous_file: records.latest_file(),
        adr_uid: adr_uid.clone(),
        task_uid,
        supersedes: superseded.as_ref().map(|(uid, _)| uid.clone()),
        created: ctx.now_rfc3339(),
    };
    let mut outcome = outcome(context, patch);
    outcome.description = superseded.map(|(uid, reason)| format!("It takes the place of {uid}: {reason}"));
    if let Some(waiting) = pending::ask(repository, ctx, &outcome)? {
        drop(lock);
        return Err(waiting.put(ctx)?);
    }
    let documents = compose(&outcome, &ground);
    let mut transaction = Transaction::new();
    if let (Some(adr), Some(state)) = (documents.adr, documents.state) {
        let path = places
            .decisions
            .join(&adr.file_name())
            .map_err(|error| failure::validation_failed("INVALID_PATH", error.to_string()))?;
        transaction.put(DocKey::File(path), adr.render(), Expect::Absent);
        transaction.put(DocKey::File(places.architecture_state.clone()), state.render(), Expect::Any);
    }
    lock.commit(ctx, transaction).map_err(failure::uncommitted)?;
    drop(lock);
    show(repository, ctx, adr_uid.as_str())
}

/// What is decided and why, or everything that is wrong with it.
fn accepted(catalogue: &Catalogue, new: &NewDecision) -> Result<(Patch, String)> {
    let mut faults = Faults::default();
    let patch = patch(catalogue, new, &mut faults);
    let missing = |field: &str, message: &str, hint: &str| {
        failure::not_accepted("MISSING_REQUIRED_FIELD", message).detail("field", field).hint(hint)
    };
    let context = clean(&new.context);
    if context.is_empty() {
        let hint = "say in a sentence why it was needed";
        faults.push(missing("context", "a decision needs a context", hint));
    }
    if new.supersedes.as_ref().is_some_and(|old| clean(&old.reason).is_empty()) {
        let hint = "say why the older decision no longer holds";
        faults.push(missing("reason", "`reason` is missing", hint));
    }
    faults.finish()?;
    Ok((patch, context))
}

/// The record that is meant, and why it no longer holds.
fn superseded(records: &Records, old: &Superseded) -> Result<(Uid, String)> {
    Ok((find(records, &old.uid)?.adr.uid.clone(), clean(&old.reason)))
}

/// The outcome of an interview that was not held.
fn outcome(context: String, patch: Patch) -> Outcome {
    Outcome {
        title: hewto_core::decision::derive::title(&context),
        intention: context,
        given_context: None,
        description: None,
        patch: Some(patch),
        details: Vec::new(),
        alternatives: Vec::new(),
        allowlist: Vec::new(),
        forbidden: Vec::new(),
        criteria: Vec::new(),
        verdict: Verdict { record: true, because: vec!["explicit:adr".to_owned()] },
        known: Vec::new(),
        asked_by_agent: Vec::new(),
    }
}

fn patch(catalogue: &Catalogue, new: &NewDecision, faults: &mut Faults) -> Patch {
    let category = catalogue.category(&new.category);
    if category.is_none() {
        let message = format!("no category `{}`", one_line(&new.category));
        faults.push(
            failure::not_accepted("UNKNOWN_CATEGORY", message)
                .detail("field", "category")
                .detail("valid_categories", json!(catalogue.category_names()))
                .detail("valid_fields", json!(catalogue.fields_by_category()))
                .hint("use one of the valid categories, or `Other`"),
        );
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in &new.fields {
        let known =
            category.map(|category| category.field(name).map_or_else(|| free_field(category, name), Ok));
        let field = known.transpose().map(|field| field.unwrap_or_else(|| field_name(name)));
        let value = one_line(value);
        if value.is_empty() {
            let message = format!("`{}` has no value", one_line(name));
            let place = format!("fields/{}", one_line(name));
            faults.push(
                failure::not_accepted("MISSING_REQUIRED_FIELD", message)
                    .detail("field", place)
                    .hint("give each field a value"),
            );
        }
        fields.extend(faults.take(field).map(|field| (field, value)));
    }
    if new.fields.is_empty() {
        faults.push(
            failure::not_accepted("MISSING_REQUIRED_FIELD", "nothing is decided")
                .detail("field", "fields")
                .hint("give at least one field and its value"),
        );
    }
    Patch { category: category.map(|category| category.name.clone()).unwrap_or_default(), fields }
}

/// A field that the category does not know. Any is allowed, but for one that looks like a slip of the pen.
fn free_field(category: &Category, name: &str) -> Result<String> {
    let valid: Vec<&str> = category.field_names().collect();
    let field = field_name(name);
    let close = near(name, valid.iter().copied(), 1);
    if close.is_empty() && !field.is_empty() {
        return Ok(field);
    }
    let message = format!("`{}` has no field `{}`", category.name, one_line(name));
    Err(failure::not_accepted("UNKNOWN_FIELD", message)
        .detail("field", format!("fields/{}", one_line(name)))
        .detail("valid_fields", json!(valid))
        .detail("near", json!(close))
        .hint(match close.as_slice() {
            [meant, ..] => format!("did you mean `{meant}`? A field of your own needs a name less like it"),
            [] => "give the field a name with letters or digits".to_owned(),
        }))
}

fn card(record: &Record) -> DecisionCard {
    DecisionCard {
        uid: record.adr.uid.to_string(),
        title: record.adr.title.clone(),
        category: record.adr.category.clone(),
        date: record.adr.date.clone(),
        path: record.path.to_string(),
    }
}
