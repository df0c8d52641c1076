//! Templates on the web, and the copies that are kept of them.

use std::time::{Duration, Instant};

use hewto_net::fetch;
use hewto_store::{ContentHash, Context, RelPath};
use serde::{Deserialize, Serialize};

use super::resolve::Resolved;
use crate::concept;
use crate::error::{Error, Kind, Result};
use crate::view::TemplateProvenance;
use crate::workspace::Workspace;

/// How long an address may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is noted beside a copy.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    locator: String,
    retrieved_at: String,
    last_modified: Option<String>,
    etag: Option<String>,
}

/// Fetches a template and keeps it; the last good copy serves when that fails.
pub(super) fn fetch_or_kept(ws: &Workspace, ctx: &Context, url: &str) -> Result<Resolved> {
    match fetch_and_keep(ws, ctx, url) {
        Ok(resolved) => Ok(resolved),
        Err(error) => match kept(ws, url)? {
            Some(mut resolved) => {
                resolved.provenance.problem = Some(error.full_message());
                Ok(resolved)
            }
            None => Err(error),
        },
    }
}

/// Fetches a template and keeps it.
pub(super) fn fetch_and_keep(ws: &Workspace, ctx: &Context, url: &str) -> Result<Resolved> {
    ctx.check()?;
    let left = ctx.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    // Half of what is left: an answer has to be written after it.
    let within = left.map_or(PATIENCE, |left| PATIENCE.min(left / 2));
    let fetched = fetch(url, within).map_err(|error| unreachable(url, error))?;
    let note = Note {
        locator: url.to_owned(),
        retrieved_at: ctx.now_rfc3339(),
        last_modified: fetched.last_modified,
        etag: fetched.etag,
    };
    let (text_path, note_path) = places(ws, url);
    ws.store().write_state(&text_path, fetched.text.as_bytes())?;
    let noted = serde_json::to_vec(&note).expect("a note is plain data");
    ws.store().write_state(&note_path, &noted)?;
    Ok(Resolved { text: fetched.text, provenance: provenance(url, &text_path, Some(&note)) })
}

/// Forgets the copy of an address.
pub(super) fn forget(ws: &Workspace, url: &str) -> Result<()> {
    let (text_path, note_path) = places(ws, url);
    ws.store().remove_state(&text_path)?;
    ws.store().remove_state(&note_path)?;
    Ok(())
}

fn kept(ws: &Workspace, url: &str) -> Result<Option<Resolved>> {
    let (text_path, note_path) = places(ws, url);
    let Some(bytes) = ws.store().read_state(&text_path)? else { return Ok(None) };
    // A damaged copy is none.
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let note = ws.store().read_state(&note_path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(Some(Resolved { text, provenance: provenance(url, &text_path, note.as_ref()) }))
}

fn provenance(url: &str, text_path: &RelPath, note: Option<&Note>) -> TemplateProvenance {
    TemplateProvenance {
        cache_path: Some(text_path.to_string()),
        last_modified: note.and_then(|note| note.last_modified.clone()),
        retrieved_at: note.map(|note| note.retrieved_at.clone()),
        ..TemplateProvenance::new("PointerUrl", url)
    }
}

fn places(ws: &Workspace, url: &str) -> (RelPath, RelPath) {
    ws.layout().template_cache(&ContentHash::of(url.as_bytes()).to_string())
}

fn unreachable(url: &str, error: hewto_net::FetchError) -> Error {
    Error::new(Kind::Machine, "template_unreachable", None, format!("cannot fetch the template `{url}`"))
        .detail("locator", url)
        .detail("concept_ref", concept::TEMPLATE_ORCHESTRATION)
        .hint("look at the address, or point at a file inside the workspace")
        .caused_by(error)
}
