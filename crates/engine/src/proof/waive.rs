//! `hewto proof waive`: a person lets a promise pass, with a reason and an end.

use hewto_core::proof::Ref;
use hewto_core::proof::ledger::{WaiverEntry, Waivers};
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use super::authentic;
use super::person::{Concession, Person};
use super::standing::{Query, Standing};
use crate::error::{Error, Result};
use crate::view::PersonRecordView;
use crate::workspace::Workspace;

/// How long a reason may be, in characters.
const MAX_REASON: usize = 2_000;

/// Lets a promise pass until the end of a day.
pub fn waive(
    ws: &Workspace,
    ctx: &Context,
    reference: &str,
    reason: &str,
    until: &str,
    person: &Person,
) -> Result<PersonRecordView> {
    let reason = checked_reason(reason)?;
    let day = last_day(ctx, until)?;
    let by = Concession::Waiver { reference, reason, until }.require(ws, ctx, person)?;
    let ws = &ws.foreseeing(|ws| promised(ws, ctx, reference));
    let (lock, ref ws) = ws.lock(ctx)?;
    let reference = promised(ws, ctx, reference)?;
    let key = DocKey::Own(Own::Waivers);
    let doc = ws.store().read(ctx, &key)?;
    let mut waivers = doc.as_ref().map(|doc| Waivers::read(&doc.text)).unwrap_or_default();
    if let Some(fault) = waivers.faults.first() {
        return Err(Error::cannot_edit(
            Own::Waivers.path(),
            format!("line {}: {}", fault.line, fault.message),
        ));
    }
    waivers.entries.retain(|entry| entry.reference != reference);
    let mut entry = WaiverEntry {
        reference: reference.clone(),
        reason: reason.to_owned(),
        until: day.to_string(),
        by: by.clone(),
        channel: person.channel.to_string(),
        at: ctx.now_rfc3339(),
        mac: String::new(),
    };
    entry.mac = authentic::seal(ctx, "waiver", &entry.signed());
    waivers.entries.push(entry);
    waivers.entries.sort_by(|a, b| a.reference.cmp(&b.reference));
    let mut transaction = Transaction::new();
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(key, waivers.write(), expect);
    lock.commit(ctx, transaction)?;
    Ok(PersonRecordView {
        reference,
        file: Own::Waivers.path().to_owned(),
        by,
        channel: person.channel.to_string(),
        reason: reason.to_owned(),
        until: Some(day.to_string()),
    })
}

/// The day that a waiver may end with; it is asked for before a person is.
pub fn last_day(ctx: &Context, until: &str) -> Result<jiff::civil::Date> {
    let day: jiff::civil::Date = until.parse().map_err(|_| {
        Error::invalid_argument("until", "a date such as 2026-12-31", format!("`{until}` is not a date"))
    })?;
    let today = ctx.now().to_zoned(jiff::tz::TimeZone::UTC).date();
    if day < today {
        return Err(Error::invalid_argument("until", "a day that is not over", format!("`{until}` is over")));
    }
    Ok(day)
}

/// A reason that says something.
pub(super) fn checked_reason(reason: &str) -> Result<&str> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > MAX_REASON || reason.contains('\0') {
        let expected = "a sentence of at most 2,000 characters";
        return Err(Error::invalid_argument("reason", expected, "the reason says nothing, or too much"));
    }
    Ok(reason)
}

/// A reference that some spec or change has.
pub(super) fn promised(ws: &Workspace, ctx: &Context, reference: &str) -> Result<Ref> {
    let parsed = Ref::parse(reference).map_err(|error| {
        let message = format!("`{reference}` names no promise: {error}");
        Error::invalid_argument("ref", "capability#requirement/scenario", message)
    })?;
    Standing::find(ws, ctx, &Query { target: Some(parsed.to_string()), ..Query::default() })?;
    Ok(parsed)
}
