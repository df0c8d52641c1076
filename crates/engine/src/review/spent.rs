//! Approvals that are spent: what was archived, or withdrawn, took its approvals along. Whoever makes a change of the same name and
//! words again does something else by it, since the specs have moved on, and a copy of the old record does not speak for that.

use std::collections::HashSet;

use hewto_core::review::{Proven, Record, Verdict, Voice};
use hewto_store::{Context, DocFolder};

use super::records::{MOST_RECORDS, read};
use crate::change::archived_id;
use crate::error::Result;
use crate::workspace::Workspace;

/// Marks the approvals among these, which stand in this folder of records, that an earlier change was archived with.
pub(super) fn mark(ws: &Workspace, ctx: &Context, folder: &DocFolder, voices: &mut [Voice]) -> Result<()> {
    let mut approvals: Vec<&mut Voice> =
        voices.iter_mut().filter(|voice| voice.record.verdict() == Some(Verdict::Approved)).collect();
    let Some(own) = folder.above().filter(|_| !approvals.is_empty()) else { return Ok(()) };
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

/// What the records of a folder say.
fn statements(ws: &Workspace, ctx: &Context, folder: &DocFolder) -> Result<HashSet<String>> {
    let names = ws.store().file_names(ctx, folder)?;
    let mut known = HashSet::new();
    for name in names.iter().rev().take(MOST_RECORDS) {
        ctx.check()?;
        let Ok(key) = folder.document(name) else { continue };
        if let Ok(text) = read(ws, ctx, &key)?
            && let Ok(record) = Record::read(&text)
        {
            known.insert(record.statement());
        }
    }
    Ok(known)
}
