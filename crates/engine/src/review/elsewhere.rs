//! What a person was shown and has looked at, kept elsewhere than in this folder: a hub has many folders for one person.

use hewto_core::review::Meaning;
use hewto_store::Context;

use super::look::Looks;
use super::snapshot;
use super::subject::Subject;
use crate::error::Result;
use crate::workspace::Workspace;

/// The digest of an item as it stands, and its meaning, written so that it can be read back.
pub fn shown(ws: &Workspace, ctx: &Context, id: &str) -> Result<(String, String)> {
    let subject = Subject::load(ws, ctx, id)?;
    Ok((subject.digest.to_string(), subject.meaning.written()))
}

/// Brings back what was shown. It is believed because it hashes to its digest.
pub fn bring_shown(ws: &Workspace, digest: &str, written: &str) {
    let meaning = digest.parse().ok().and_then(|digest| Meaning::read_back(written, &digest));
    if let Some(meaning) = meaning {
        snapshot::keep(ws, &meaning);
    }
}

/// What a person has looked at of an item; nothing where they have not.
pub fn looks(ws: &Workspace, person: &str, id: &str) -> Option<String> {
    let looks = Looks::read(ws, person, id);
    (looks != Looks::default()).then(|| serde_json::to_string(&looks).ok())?
}

/// Brings back what a person has looked at; the digest of all that they saw then, where they saw all.
pub fn bring_looks(ws: &Workspace, person: &str, id: &str, written: &str) -> Option<String> {
    let looks: Looks = serde_json::from_str(written).ok()?;
    looks.keep(ws, person, id);
    looks.digest
}
