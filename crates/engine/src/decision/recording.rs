//! A record without an interview: what somebody decided without being asked.

use hewto_core::decision::catalogue::{Catalogue, Category, field_name};
use hewto_core::decision::compose::{DecisionInputs, compose};
use hewto_core::decision::interview::Outcome;
use hewto_core::decision::text::{clean, one_line};
use hewto_core::decision::trigger::{Patch, Verdict};
use hewto_core::decision::uid::Uid;
use hewto_core::near::near;
use hewto_store::{Context, DocKey, Expect, Own, Transaction};
use serde_json::json;

use super::architecture::{find, show};
use super::complete::{require_complete, two_uids};
use super::failure;
use super::pending;
use super::records::{Records, current_task, greatest_uid};
use super::repository::{Repository, Where};
use crate::error::Result;
use crate::faults::Faults;
use crate::view::{DecisionCreated, DecisionView};

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

/// `decision_create` where somebody may have named the repository.
pub fn create_at(place: &Where, ctx: &Context, new: &NewDecision) -> Result<DecisionCreated> {
    let repository = match Repository::find(place) {
        Ok(repository) => repository,
        Err(error) if place.named.is_some() => {
            let mut faults = Faults::default();
            faults.push(error.detail("field", "repo_path"));
            // What is wrong anywhere is told beside it.
            faults.take(accepted(ctx, Catalogue::builtin(), None, new));
            return Err(faults.finish().err().unwrap_or_else(|| failure::repo_not_found("no repository")));
        }
        Err(error) => return Err(error),
    };
    create(&repository, ctx, new)
}

/// The same as [`record`], answered with what an agent needs of it.
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
    // Read once before the lock as well, so that an unknown UID is told beside everything else.
    let known = new.supersedes.as_ref().and_then(|_| Records::read(repository, ctx).ok());
    let (patch, context) = accepted(ctx, &catalogue, known.as_ref(), new)?;
    drop(known);
    let ws = pending::foreseen(repository, ctx);
    let (lock, ref repository) = repository.lock(ctx)?;
    let places = repository.places();
    let records = Records::read(repository, ctx)?;
    require_complete(&records)?;
    let superseded = new.supersedes.as_ref().map(|old| superseded(&records, old)).transpose()?;
    let current = current_task(repository, ctx)?;
    let greatest = greatest_uid(repository, ctx, &records, current.as_ref())?;
    let (adr_uid, task_uid) = two_uids(ctx, greatest.as_ref())?;
    let inputs = DecisionInputs {
        architecture: &records.architecture,
        previous_file: records.latest_file(),
        adr_uid: adr_uid.clone(),
        task_uid,
        supersedes: superseded.as_ref().map(|(uid, _)| uid.clone()),
        created: ctx.now_rfc3339(),
    };
    let mut outcome = outcome(context, patch);
    outcome.description = superseded.map(|(uid, reason)| format!("It takes the place of {uid}: {reason}"));
    if let Some(waiting) = pending::ask(ws.as_ref(), ctx, &outcome)? {
        drop(lock);
        return Err(waiting.put(ctx)?);
    }
    let documents = compose(&outcome, &inputs);
    let mut transaction = Transaction::new();
    pending::spend(ws.as_ref(), ctx, &outcome, &adr_uid, &mut transaction)?;
    if let (Some(mut adr), Some(state)) = (documents.adr, documents.state) {
        // Nobody was asked, and no task comes of it.
        "No rationale was given beyond the context.".clone_into(&mut adr.rationale);
        adr.positive = vec!["The decision is written down".to_owned()];
        let key = places
            .decisions
            .document(&adr.file_name())
            .map_err(|error| failure::validation_failed("INVALID_PATH", error.to_string()))?;
        transaction.put(key, adr.render(), Expect::Absent);
        transaction.put(DocKey::Own(Own::ArchitectureState), state.render(), Expect::Any);
    }
    lock.commit(ctx, transaction).map_err(failure::uncommitted)?;
    drop(lock);
    show(repository, ctx, adr_uid.as_str())
}

/// What is decided and why, or everything that is wrong with it.
fn accepted(
    ctx: &Context,
    catalogue: &Catalogue,
    known: Option<&Records>,
    new: &NewDecision,
) -> Result<(Patch, String)> {
    let mut faults = Faults::begin(ctx);
    let patch = patch(catalogue, new, &mut faults);
    let missing = |field: &str, message: &str, hint: &str| {
        failure::not_accepted("MISSING_REQUIRED_FIELD", message).detail("field", field).hint(hint)
    };
    let context = clean(&new.context);
    if context.is_empty() {
        let hint = "say in a sentence why it was needed";
        faults.push(missing("context", "a decision needs a context", hint));
    }
    if let Some(old) = &new.supersedes {
        if clean(&old.uid).is_empty() {
            let message = "`reason` says why something no longer holds, but `supersedes` is missing";
            faults.push(missing("supersedes", message, "give the UID of the older decision"));
        } else if let Some(Err(unknown)) = known.map(|known| find(known, &old.uid)) {
            faults.push(unknown.detail("field", "supersedes"));
        }
        if clean(&old.reason).is_empty() {
            let hint = "say why the older decision no longer holds";
            faults.push(missing("reason", "`reason` is missing", hint));
        }
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
                .hint(format!("use one of `{}`", catalogue.category_names().join("`, `"))),
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
