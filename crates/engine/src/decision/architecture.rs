//! What has been decided: the architecture as a whole, the records one by one, and a record without an interview.

use std::collections::BTreeMap;

use hewto_core::decision::architecture::Snapshot;
use hewto_core::decision::catalogue::Catalogue;
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
use super::records::{Record, Records, current_task, greatest_uid};
use super::repository::{Climb, Reach, Repository, Where};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{
    ArchitectureBody, ArchitectureDetails, ArchitectureView, DecisionCard, DecisionList, DecisionView,
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
}

/// What holds now, computed from the records. Nothing is written.
pub fn read_architecture(repository: &Repository, ctx: &Context) -> Result<ArchitectureView> {
    let records = Records::read(repository, ctx)?;
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
    Ok(ArchitectureView {
        status: "success".to_owned(),
        architecture: ArchitectureBody {
            uid: architecture.latest.as_ref().map(Uid::to_string),
            categories: categories(&architecture.snapshot),
        },
        source_file: repository.layout().places().architecture_state.to_string(),
        warning: warning.map(|(key, _)| key.to_owned()),
        message: warning.map(|(_, message)| message.to_owned()),
        details: warning.map(|_| ArchitectureDetails { missing_keys: missing }),
    })
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

/// One decision, by its UID or the beginning of it.
pub fn show(repository: &Repository, ctx: &Context, uid: &str) -> Result<DecisionView> {
    let records = Records::read(repository, ctx)?;
    let mut found = records.all.iter().filter(|record| record.adr.uid.as_str().starts_with(uid));
    let record = match (found.next(), found.next()) {
        (Some(record), None) if !uid.is_empty() => record,
        (Some(_), Some(_)) if !uid.is_empty() => {
            return Err(unknown_decision(uid, "several decisions begin with"));
        }
        _ => {
            let uids = records.all.iter().map(|record| record.adr.uid.as_str());
            return Err(unknown_decision(uid, "no decision").detail("near", json!(near(uid, uids, 3))));
        }
    };
    let adr = &record.adr;
    Ok(DecisionView {
        card: card(record),
        previous: adr.previous.as_ref().map(Uid::to_string),
        merged: adr.merged.iter().map(Uid::to_string).collect(),
        changes: adr.changes.clone(),
        decision: adr.decision.clone(),
        text: record.text.clone(),
    })
}

/// The decision with exactly this UID, in the repository that the workspace belongs to.
pub(crate) fn require(ws: &Workspace, ctx: &Context, uid: &str) -> Result<Uid> {
    let place = Where { named: None, start: ws.root().to_owned(), climb: Climb::Up, reach: Reach::Anywhere };
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

/// Writes a record and the state, and no task.
pub fn record(repository: &Repository, ctx: &Context, new: &NewDecision) -> Result<DecisionView> {
    let catalogue = repository.catalogue(ctx)?;
    let patch = patch(&catalogue, new)?;
    let context = clean(&new.context);
    if context.is_empty() {
        return Err(failure::not_accepted("MISSING_REQUIRED_FIELD", "a decision needs a context")
            .hint("say in a sentence why it was needed"));
    }
    let places = repository.layout().places();
    let lock = repository.store().lock(ctx).map_err(failure::unlocked)?;
    let records = Records::read(repository, ctx)?;
    require_complete(&records)?;
    let current = current_task(repository, ctx)?;
    let greatest = greatest_uid(repository, ctx, &records, current.as_ref())?;
    let (adr_uid, task_uid) = two_uids(ctx, greatest.as_ref())?;
    let ground = Ground {
        architecture: &records.architecture,
        previous_file: records.latest_file(),
        adr_uid: adr_uid.clone(),
        task_uid,
        created: ctx.now_rfc3339(),
    };
    let documents = compose(&outcome(context, patch), &ground);
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
    }
}

fn patch(catalogue: &Catalogue, new: &NewDecision) -> Result<Patch> {
    let category = catalogue.category(&new.category).ok_or_else(|| {
        failure::not_accepted("UNKNOWN_CATEGORY", format!("no category `{}`", one_line(&new.category)))
            .detail("valid_categories", json!(catalogue.category_names()))
            .hint("use one of the valid categories, or `Other`")
    })?;
    let mut fields: Vec<(String, String)> = Vec::new();
    for (name, value) in &new.fields {
        let field = category.field(name).ok_or_else(|| {
            let valid: Vec<&str> = category.field_names().collect();
            failure::not_accepted(
                "UNKNOWN_FIELD",
                format!("`{}` has no field `{}`", category.name, one_line(name)),
            )
            .detail("valid_fields", json!(valid))
            .hint("use one of the valid fields, or the category `Other`")
        })?;
        let value = one_line(value);
        if value.is_empty() {
            return Err(failure::not_accepted("MISSING_REQUIRED_FIELD", format!("`{field}` has no value"))
                .hint("give each field a value"));
        }
        fields.push((field, value));
    }
    if fields.is_empty() {
        return Err(failure::not_accepted("MISSING_REQUIRED_FIELD", "nothing is decided")
            .hint("give at least one field and its value"));
    }
    Ok(Patch { category: category.name.clone(), fields })
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
