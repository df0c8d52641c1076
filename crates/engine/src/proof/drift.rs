//! `hewto drift`: what has moved since it was last recorded, and what a person accepts of it.

use hewto_core::proof::State;
use hewto_core::proof::ledger::AcceptedFile;
use hewto_core::proof::matrix::Row;
use hewto_store::{Context, DocKey, Expect, Transaction};

use super::authentic;
use super::person::{Concession, Person};
use super::records::accepted_path;
use super::standing::{Query, Standing};
use super::waive::{checked_reason, promised};
use crate::error::{Error, Key, Kind, Result};
use crate::view::{DriftRow, DriftView, PersonRecordView, PlaceView};
use crate::workspace::Workspace;

/// For how many rows git is asked who moved them.
const MAX_ASKED: usize = 50;

/// Everything that has moved.
pub fn drift(ws: &Workspace, ctx: &Context, query: &Query) -> Result<DriftView> {
    Ok(drifted(ws, ctx, &Standing::find(ws, ctx, query)?))
}

/// The same of what is known already.
pub(super) fn drifted(ws: &Workspace, ctx: &Context, standing: &Standing) -> DriftView {
    let total = standing.rows.len();
    let mut drifted: Vec<DriftRow> = Vec::new();
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
        let since = row.run.as_ref().and_then(|run| standing.runs.iter().find(|known| known.run == *run));
        let commit = (drifted.len() < MAX_ASKED)
            .then(|| {
                let path = links.first().map_or(&**file, |link| link.path.as_str());
                ws.git().last_commit(ctx, ws.root(), path)
            })
            .flatten();
        drifted.push(DriftRow {
            reference: row.promise.reference.clone(),
            state,
            red: state != State::Moved && row.is_red(),
            what,
            since: since.map(|run| format!("{} ({})", run.at, run.run)),
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
    let path = accepted_path(&reference).ok_or_else(|| {
        Error::new(Kind::Refused, Key::ValidationFailed, format!("`{reference}` has no place for a record"))
    })?;
    let doc = ws.store().read(ctx, &DocKey::File(path.clone()))?;
    let (mut entries, faults) = doc.as_ref().map(|doc| AcceptedFile::read(&doc.text)).unwrap_or_default();
    if let Some(fault) = faults.first() {
        return Err(Error::cannot_edit(path.as_str(), format!("line {}: {}", fault.line, fault.message)));
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
    transaction.put(DocKey::File(path.clone()), AcceptedFile::write(&entries), expect);
    lock.commit(ctx, transaction)?;
    Ok(PersonRecordView {
        reference,
        file: path.to_string(),
        by,
        channel: person.channel.to_string(),
        reason: reason.to_owned(),
        until: None,
    })
}
