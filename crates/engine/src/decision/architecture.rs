//! What has been decided: the architecture as a whole, the records one by one.

use std::collections::BTreeMap;

use hewto_core::decision::architecture::Snapshot;
use hewto_core::decision::uid::Uid;
use hewto_core::near::near;
use hewto_store::{Context, Own};
use serde_json::json;

use super::records::{Record, Records};
use super::repository::{Climb, Repository, RepositoryScope, Where};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{
    ArchitectureBody, ArchitectureDetails, ArchitectureView, DecisionCard, DecisionList, DecisionView,
};
use crate::workspace::Workspace;

/// What holds now, computed from the records. Nothing is written.
pub fn read_architecture(repository: &Repository, ctx: &Context) -> Result<ArchitectureView> {
    Ok(holding(&Records::read(repository, ctx)?))
}

fn holding(records: &Records) -> ArchitectureView {
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
        source_file: Own::ArchitectureState.path().to_owned(),
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
    Ok(Timeline { lines, architecture: holding(&records), unreadable })
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

/// How many near UIDs an error offers.
const NEAR: usize = 3;

/// The record with this UID, or the only one whose UID begins so; else the one that was imported under this number.
pub(super) fn find<'r>(records: &'r Records, uid: &str) -> Result<&'r Record> {
    let uid = bare_uid(uid);
    if let Some(record) = by_alias(records, uid) {
        return Ok(record);
    }
    let found: Vec<&Record> = records
        .all
        .iter()
        .filter(|record| !uid.is_empty() && record.adr.uid.as_str().starts_with(uid))
        .collect();
    match found.as_slice() {
        [record] => Ok(record),
        [] => {
            let uids = records.all.iter().map(|record| record.adr.uid.as_str());
            Err(unknown_decision(uid, "no decision", &near(uid, uids, NEAR)))
        }
        several => {
            let uids = several.iter().rev().take(NEAR).map(|record| record.adr.uid.to_string());
            Err(unknown_decision(uid, "several decisions begin with", &uids.collect::<Vec<_>>()))
        }
    }
}

/// The UID in what somebody wrote for a decision: alone, behind `decision:`, or as a handle.
fn bare_uid(name: &str) -> &str {
    let name = name.trim();
    let bare = ["decision:", "adr://"].into_iter().find_map(|kind| name.strip_prefix(kind));
    bare.map_or(name, str::trim)
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
        reach: RepositoryScope::Anywhere,
        trust: ws.trust().clone(),
        search_path: Vec::new(),
    };
    let repository = Repository::find(&place)?;
    let known = repository.decision_uids(ctx)?;
    let uid = bare_uid(uid);
    known.iter().find(|known| known.as_str() == uid).cloned().ok_or_else(|| {
        let near = near(uid, known.iter().map(Uid::as_str), NEAR);
        unknown_decision(uid, "no decision", &near).detail("field", "decision")
    })
}

fn unknown_decision(uid: &str, what: &str, near: &[String]) -> Error {
    let shown: String = uid.chars().take(80).collect();
    let error =
        Error::new(Kind::Refused, Key::DecisionNotFound, format!("{what} `{}`", shown.escape_debug()))
            .detail("near", json!(near));
    match near {
        [] => error.hint(Action::ListDecisions.to("see the UIDs")),
        near => error.hint(format!("did you mean `{}`?", near.join("`, `"))),
    }
}

fn card(record: &Record) -> DecisionCard {
    DecisionCard {
        uid: record.adr.uid.to_string(),
        title: record.adr.title.clone(),
        category: record.adr.category.clone(),
        date: record.adr.date.clone(),
        path: record.path.clone(),
    }
}
