//! Approvals that are spent: what was archived, or withdrawn, took its approvals along, and so did a decision that was recorded. Whoever
//! makes a change of the same name and words again, or the same decision, does something else by it, since specs and decisions have
//! moved on; the old record, or a copy of it, does not speak for that.

use std::collections::HashSet;

use hewto_core::decision::uid::Uid;
use hewto_core::review::{Proven, Record, Verdict, Voice};
use hewto_store::{Context, DocFolder};
use jiff::Timestamp;

use super::decide::CLOCK_SKEW;
use super::records::{MOST_RECORDS, read};
use super::subject::decision_recorded;
use crate::change::archived_id;
use crate::error::Result;
use crate::workspace::Workspace;

/// Marks the approvals among these, which stand in this folder of records, that an earlier change was archived with.
pub(super) fn mark(ws: &Workspace, ctx: &Context, folder: &DocFolder, voices: &mut [Voice]) -> Result<()> {
    let mut approvals: Vec<&mut Voice> =
        voices.iter_mut().filter(|voice| voice.record.verdict() == Some(Verdict::Approved)).collect();
    let Some(own) = folder.above().filter(|_| !approvals.is_empty()) else { return Ok(()) };
    if ws.places().waiting_decisions.below(own.as_str()).is_some() {
        return mark_decided(ws, ctx, &own, &mut approvals);
    }
    let archived = ws.store().archived_folders(ctx)?;
    let is_archived = archived.contains(&own);
    for earlier in archived {
        // An archived change is judged by those before it.
        if earlier == own || (is_archived && earlier.name() > own.name()) {
            continue;
        }
        let item = format!("change:{}", archived_id(earlier.name()));
        if !approvals.iter().any(|voice| voice.record.head.item == item) {
            continue;
        }
        let known = statements(ws, ctx, &earlier.review())?;
        for voice in &mut approvals {
            if known.contains(&voice.record.statement()) {
                let why = format!("it was given to an earlier change of this name, which is `{earlier}` now");
                voice.proven = Proven::Forged(why);
            }
        }
    }
    Ok(())
}

fn mark_decided(ws: &Workspace, ctx: &Context, own: &DocFolder, approvals: &mut [&mut Voice]) -> Result<()> {
    let Ok(text) = read(ws, ctx, &decision_recorded(own)?)? else { return Ok(()) };
    let Some((uid, until)) = text.trim().split_once(' ') else { return Ok(()) };
    let Ok(until) = until.parse::<Timestamp>() else { return Ok(()) };
    for voice in approvals.iter_mut().filter(|voice| voice.record.head.at <= until) {
        voice.proven = Proven::Forged(format!("it was given to the decision `{uid}`, which is recorded"));
    }
    Ok(())
}

/// What is noted of a decision that is recorded now: its UID, and when the last verdict of this folder was given, whoever gave it. Later
/// ones are for the next time.
pub(crate) fn note(ws: &Workspace, ctx: &Context, folder: &DocFolder, uid: &Uid) -> Result<Option<String>> {
    let horizon = ctx.now().saturating_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX);
    let given = records(ws, ctx, folder)?.into_iter().map(|record| record.head.at);
    let latest = given.filter(|at| *at <= horizon).max();
    Ok(latest.map(|latest| format!("{uid} {latest}\n")))
}

/// What the records of a folder say.
fn statements(ws: &Workspace, ctx: &Context, folder: &DocFolder) -> Result<HashSet<String>> {
    Ok(records(ws, ctx, folder)?.iter().map(Record::statement).collect())
}

/// The records of a folder that can be read, whoever wrote them.
fn records(ws: &Workspace, ctx: &Context, folder: &DocFolder) -> Result<Vec<Record>> {
    let names = ws.store().file_names(ctx, folder)?;
    let mut records = Vec::new();
    for name in names.iter().rev().take(MOST_RECORDS) {
        ctx.check()?;
        let Ok(key) = folder.document(name) else { continue };
        if let Ok(text) = read(ws, ctx, &key)?
            && let Ok(record) = Record::read(&text)
        {
            records.push(record);
        }
    }
    Ok(records)
}
