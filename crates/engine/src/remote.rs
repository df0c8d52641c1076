//! Documents on the web (seed 002): fetched over https, within limits, and kept. The last good copy serves when the
//! address does not, and says so.

use std::time::{Duration, Instant};

use hewto_net::{Reach, fetch};
use hewto_store::{ContentHash, Context, LocalKey};
use serde::{Deserialize, Serialize};

use crate::concept;
use crate::error::{Error, Key, Kind, Result};
use crate::trust::{self, origin_of};
use crate::workspace::Workspace;

/// How long an address may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What an address is wanted for, which tells what to say when it cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Template,
    Document,
}

/// Who names an address. No host is contacted that only a repository names, unless the owner trusts it (D-18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    Caller,
    Repository,
}

/// A document as it was fetched, now or earlier.
#[derive(Debug, Clone)]
pub(crate) struct RemoteDocument {
    pub(crate) text: String,
    /// The copy, below the workspace root.
    pub(crate) cache_path: String,
    pub(crate) retrieved_at: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// Why this is a copy from earlier.
    pub(crate) problem: Option<String>,
}

/// What is noted beside a copy.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    locator: String,
    retrieved_at: String,
    last_modified: Option<String>,
    etag: Option<String>,
}

/// Fetches a document and keeps it; the last good copy serves when that fails.
pub(crate) fn fetch_or_kept(
    ws: &Workspace,
    ctx: &Context,
    url: &str,
    wanted: Wanted,
    named_by: NamedBy,
) -> Result<RemoteDocument> {
    match fetch_and_keep(ws, ctx, url, wanted, named_by) {
        Ok(document) => Ok(document),
        Err(error) if error.key == wanted.unreachable() || error.key == Key::HostNotTrusted => {
            match kept(ws, url)? {
                Some(document) => Ok(RemoteDocument { problem: Some(error.full_message()), ..document }),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Fetches a document and keeps it.
pub(crate) fn fetch_and_keep(
    ws: &Workspace,
    ctx: &Context,
    url: &str,
    wanted: Wanted,
    named_by: NamedBy,
) -> Result<RemoteDocument> {
    ctx.check()?;
    let reach = reach(ws, url, named_by)?;
    let left = ctx.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    // Half of what is left: an answer has to be written after it.
    let within = left.map_or(PATIENCE, |left| PATIENCE.min(left / 2));
    let fetched = fetch(url, reach, within).map_err(|error| wanted.unreached(url, error))?;
    let note = Note {
        locator: url.to_owned(),
        retrieved_at: ctx.now_rfc3339(),
        last_modified: fetched.last_modified,
        etag: fetched.etag,
    };
    let (copy, beside) = keys(url);
    ws.store().machine().write_local(&copy, fetched.text.as_bytes())?;
    let noted = serde_json::to_vec(&note).expect("a note is plain data");
    ws.store().machine().write_local(&beside, &noted)?;
    Ok(document(ws, fetched.text, &copy, Some(note)))
}

/// How far an address may lead.
fn reach(ws: &Workspace, url: &str, named_by: NamedBy) -> Result<Reach> {
    let trusted = match origin_of(url) {
        Some(origin) => ws.trust().trusts_host(ws.root(), &origin)?,
        None => false,
    };
    match (trusted, named_by) {
        (true, _) => Ok(Reach::Anywhere),
        (false, NamedBy::Caller) => Ok(Reach::Public),
        (false, NamedBy::Repository) => {
            let host = origin_of(url).unwrap_or_else(|| url.to_owned());
            let message =
                format!("`{host}` is not contacted: only the repository names it, and it is not trusted");
            Err(Error::new(Kind::Refused, Key::HostNotTrusted, message)
                .detail("locator", url)
                .detail("command", trust::command(ws.root()))
                .hint(format!(
                    "ask the person at this machine to run `{}` in a terminal",
                    trust::command(ws.root())
                )))
        }
    }
}

/// Forgets the copy of an address.
pub(crate) fn forget(ws: &Workspace, url: &str) -> Result<()> {
    let (copy, beside) = keys(url);
    ws.store().machine().remove_local(&copy)?;
    ws.store().machine().remove_local(&beside)?;
    Ok(())
}

fn kept(ws: &Workspace, url: &str) -> Result<Option<RemoteDocument>> {
    let (copy, beside) = keys(url);
    let Some(bytes) = ws.store().machine().read_local(&copy)? else { return Ok(None) };
    // A damaged copy is none.
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let note =
        ws.store().machine().read_local(&beside)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(Some(document(ws, text, &copy, note)))
}

fn document(ws: &Workspace, text: String, copy: &LocalKey, note: Option<Note>) -> RemoteDocument {
    let cache_path = ws.store().machine().local_path(copy).unwrap_or_default();
    let (retrieved_at, last_modified) = match note {
        Some(note) => (Some(note.retrieved_at), note.last_modified),
        None => (None, None),
    };
    RemoteDocument { text, cache_path, retrieved_at, last_modified, problem: None }
}

/// The copy of an address, and the note beside it.
fn keys(url: &str) -> (LocalKey, LocalKey) {
    let hash = ContentHash::of(url.as_bytes()).to_string();
    (LocalKey::Fetched(hash.clone()), LocalKey::FetchedNote(hash))
}

impl Wanted {
    /// The key of the error when neither the address nor a copy of it can be had.
    pub(crate) fn unreachable(self) -> Key {
        match self {
            Self::Template => Key::TemplateUnreachable,
            Self::Document => Key::DocumentUnreachable,
        }
    }

    fn unreached(self, url: &str, error: hewto_net::FetchError) -> Error {
        let (what, concept) = match self {
            Self::Template => ("template", concept::TEMPLATE_ORCHESTRATION),
            Self::Document => ("document", concept::WORKSPACE_GOVERNANCE),
        };
        let hint = match error {
            hewto_net::FetchError::NotPublic => {
                "name a public address or a file inside the workspace; the owner of this machine can run `hewto trust --host HOST`"
            }
            _ => "look at the address, or name a file inside the workspace",
        };
        Error::new(Kind::Machine, self.unreachable(), format!("cannot fetch the {what} `{url}`"))
            .detail("locator", url)
            .detail("concept_ref", concept)
            .hint(hint)
            .caused_by(error)
    }
}
