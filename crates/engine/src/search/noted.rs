//! What the files looked like when the index was last found to be what they say, noted beside it.
//!
//! The first question of a process compares that note with the files, one look at each and none of them read; where nothing has
//! changed, the index answers at once.

use hewto_search::{Fingerprint, Index, Note};
use hewto_store::Context;

use super::documents::{Source, Sources};
use crate::error::Result;
use crate::workspace::Workspace;

/// What the first look of a process found.
#[derive(Debug)]
pub(super) enum FirstLook {
    /// The files are as the note has them.
    AsNoted(Note),
    /// They were looked at as if there were no note.
    Anew(Sources),
}

impl FirstLook {
    pub(super) fn at(ws: &Workspace, ctx: &Context) -> Result<Self> {
        if let Some(note) = Note::read(&ws.store().machine().search_index())
            && holds(ws, ctx, &note)?
        {
            return Ok(Self::AsNoted(note));
        }
        Sources::look(ws, ctx).map(Self::Anew)
    }
}

/// Whether the files are as a note has them.
pub(super) fn holds(ws: &Workspace, ctx: &Context, note: &Note) -> Result<bool> {
    let others = Sources::others(ws, ctx)?;
    match note.bytes.strip_prefix(&print_of(&others)) {
        Some(trace) => Ok(ws.store().is_as_traced(ctx, trace)?),
        None => Ok(false),
    }
}

/// Notes what the files look like for an index of this revision, which is what they say. A note that cannot be written is done
/// without.
pub(super) fn write(ws: &Workspace, ctx: &Context, index: &Index, revision: u64, sources: &Sources) {
    let Ok(Some(trace)) = ws.store().trace(ctx, sources.specs()) else { return };
    let note = [&print_of(sources.without_specs())[..], &trace].concat();
    if let Err(error) = index.note(revision, &note) {
        tracing::debug!(%error, "what the files look like was not noted");
    }
}

/// What tells these documents, as they are, from all others.
fn print_of(others: &[Source]) -> [u8; 8] {
    let mut bytes = vec![super::documents::READING];
    for Source { key, evidence, .. } in others {
        bytes.extend(format!("{}:{}\n", key.kind, key.id).as_bytes());
        bytes.extend(evidence.print.0.to_le_bytes());
    }
    Fingerprint::of(&bytes).0.to_le_bytes()
}
