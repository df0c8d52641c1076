//! `hewto drift`: what has moved since it was last recorded, and what a person accepts of it.

use std::collections::BTreeSet;

use hewto_core::proof::State;
use hewto_core::proof::ledger::AcceptedFile;
use hewto_core::proof::matrix::Row;
use hewto_store::{Context, Expect, Transaction};

use super::authentic;
use super::person::{Concession, Person};
use super::records::accepted_key;
use super::standing::{Query, Standing};
use super::waive::{checked_reason, promised};
use crate::error::{Error, Key, Kind, Result};
use crate::view::{DriftRow, DriftView, PersonRecordView, PlaceView};
use crate::workspace::Workspace;

/// For how many rows git is asked who moved them.
const MAX_ASKED: usize = 50;
/// Who moved what no commit has yet.
const NOT_COMMITTED: &str = "not committed";

/// Everything that has moved.
pub fn drift(ws: &Workspace, ctx: &Context, query: &Query) -> Result<DriftView> {
    Ok(drifted(ws, ctx, &Standing::find(ws, ctx, query)?))
}

/// The same of what is known already.
pub(super) fn drifted(ws: &Workspace, ctx: &Context, standing: &Standing) -> DriftView {
    let total = standing.rows.len();
    let mut drifted: Vec<DriftRow> = Vec::new();
    let mut edited = None;
    for (file, row) in &standing.rows {
        let Some(state) = drifted_state(row) else { continue };
        let what = if row.reason.is_empty() {
            "code changed, the test passed since".to_owned()
        } else {
            row.reason.to_string()
        };
        let links = match state {
            State::Suspect | State::Unlinked => Vec::new(),
            _ => row.code.iter().chain(&row.tests).collect(),
        };
        let run = row.run.as_ref().and_then(|run| standing.runs.iter().find(|known| known.run == *run));
        let since = match run {
            Some(run) => Some(format!("{} ({})", run.at, run.run)),
            None => recorded_otherwise(standing, row).map(str::to_owned),
        };
        let path = match state {
            // Where the tag stood nobody has written down.
            State::Unlinked => None,
            _ => Some(links.first().map_or(&**file, |link| link.path.as_str())),
        };
        let commit = path.filter(|_| drifted.len() < MAX_ASKED).and_then(|path| {
            if edited.get_or_insert_with(|| edited_files(ws, ctx)).contains(path) {
                return Some(NOT_COMMITTED.to_owned());
            }
            ws.git().last_commit(ctx, ws.root(), path)
        });
        drifted.push(DriftRow {
            reference: row.promise.reference.clone(),
            state,
            red: state != State::Moved && row.is_red(),
            what,
            since,
            commit,
            file: file.to_string(),
            line: row.promise.line,
            places: links.into_iter().map(PlaceView::from).collect(),
        });
    }
    let red = drifted.iter().filter(|row| row.red).count();
    let promises = if total == 1 { "1 scenario".to_owned() } else { format!("{total} scenarios") };
    let line = match drifted.len() {
        0 => format!("{promises}: nothing has moved"),
        n => format!("{promises}: {n} moved, {red} of them to look at"),
    };
    DriftView { green: red == 0, drifted, total, line }
}

/// When a promise was last recorded as something else than it is now.
fn recorded_otherwise<'s>(standing: &'s Standing, row: &Row) -> Option<&'s str> {
    let mut past = standing.past.iter().zip(&standing.moments);
    let found =
        past.find(|(links, _)| links.get(&row.promise.reference).is_some_and(|then| *then != row.hashes));
    found.map(|(_, moment)| moment.as_str())
}

/// Files that are not as the commit has them that is checked out.
fn edited_files(ws: &Workspace, ctx: &Context) -> BTreeSet<String> {
    let head = ws.git().head(ctx, ws.root());
    head.map(|head| ws.git().changed_since(ctx, ws.root(), &head)).unwrap_or_default().into_iter().collect()
}

fn drifted_state(row: &Row) -> Option<State> {
    match row.state {
        State::Stale | State::Suspect | State::Unreviewed | State::Unlinked => Some(row.state),
        State::Verified if row.moved => Some(State::Moved),
        _ => None,
    }
}

/// A person has looked at what moved and takes it as it is; the next change opens it again.
pub fn accept(
    ws: &Workspace,
    ctx: &Context,
    reference: &str,
    reason: &str,
    person: &Person,
) -> Result<PersonRecordView> {
    let reason = checked_reason(reason)?;
    let by = Concession::Drift { reference, reason }.require(ws, ctx, person)?;
    let commit = ws.git().head(ctx, ws.root()).unwrap_or_default();
    let ws = &ws.foreseeing(|ws| promised(ws, ctx, reference));
    let (lock, ref ws) = ws.lock(ctx)?;
    let reference = promised(ws, ctx, reference)?;
    let query = Query { target: Some(reference.to_string()), ..Query::default() };
    let standing = Standing::find(ws, ctx, &query)?;
    let key = accepted_key(ws, &reference).ok_or_else(|| {
        Error::new(Kind::Refused, Key::ValidationFailed, format!("`{reference}` has no place for a record"))
    })?;
    let doc = ws.store().read(ctx, &key)?;
    let (mut entries, faults) = doc.as_ref().map(|doc| AcceptedFile::read(&doc.text)).unwrap_or_default();
    if let Some(fault) = faults.first() {
        return Err(Error::cannot_edit(&key.to_string(), format!("line {}: {}", fault.line, fault.message)));
    }
    let mut accepted = 0;
    for (_, row) in &standing.rows {
        let open = matches!(row.state, State::Suspect | State::Unreviewed | State::Unlinked);
        if !open {
            continue;
        }
        accepted += 1;
        entries.retain(|entry| entry.reference != row.promise.reference);
        let mut entry = AcceptedFile {
            reference: row.promise.reference.clone(),
            hashes: row.hashes.clone(),
            reason: reason.to_owned(),
            commit: commit.clone(),
            by: by.clone(),
            channel: person.channel.to_string(),
            at: ctx.now_rfc3339(),
            mac: String::new(),
        };
        entry.mac = authentic::seal(ctx, "accepted", &entry.signed());
        entries.push(entry);
    }
    if accepted == 0 {
        let state = standing.rows.first().map_or(State::Uncovered, |(_, row)| row.state);
        let (message, hint) = match state {
            State::Stale => (format!("`{reference}` is stale, which a run clears"), "run `hewto proof run`"),
            _ => (
                format!("`{reference}` is {state}: there is no drift to accept"),
                "run `hewto drift` to see what moved",
            ),
        };
        return Err(Error::new(Kind::Refused, Key::NothingToAccept, message).hint(hint));
    }
    entries.sort_by(|a, b| a.reference.cmp(&b.reference));
    let mut transaction = Transaction::new();
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(key.clone(), AcceptedFile::write(&entries), expect);
    lock.commit(ctx, transaction)?;
    Ok(PersonRecordView {
        reference,
        file: key.to_string(),
        by,
        channel: person.channel.to_string(),
        reason: reason.to_owned(),
        until: None,
    })
}
