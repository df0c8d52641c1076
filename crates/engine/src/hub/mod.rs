//! The hub behind a workspace: what is pushed to it, what comes back from it, and claims among machines.
//!
//! Which hub there is says the owner of the machine, never the repository. Everything here is optional: without a hub, or
//! while it cannot be reached, the workspace works on with its files.

mod ask;
mod claims;
mod manifest;
mod outbox;
mod push;
mod state;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use hewto_core::hub::Reason;
use hewto_net::{HubClient, HubReply};
use hewto_store::{Context, read_git_text};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use ask::{HubSearch, search, status, touching};
pub use outbox::{Brought, vouch};
pub use push::{PushOptions, PushView, push};
pub use watch::{Look, Pusher, watch};

pub(crate) use claims::{ask as ask_claim, keep as keep_claim};
pub(crate) use outbox::is_vouched;

use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// A call to the hub takes no longer.
const WITHIN: Duration = Duration::from_secs(20);
/// One that somebody waits for inside a write.
const AT_ONCE: Duration = Duration::from_secs(3);

/// What the owner of this machine says about a hub.
#[derive(Clone, PartialEq, Eq)]
pub struct HubSettings {
    pub url: String,
    /// The token, or why there is none.
    pub token: std::result::Result<String, String>,
    /// The authorities that are believed, as PEM, where they are not the public ones.
    pub roots: Option<Vec<u8>>,
}

impl std::fmt::Debug for HubSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubSettings").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The hub as one workspace speaks to it.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    client: Arc<HubClient>,
    pub(crate) repo: String,
}

impl Link {
    /// The hub of this workspace; `None` where the owner has named none.
    pub(crate) fn of(ws: &Workspace, ctx: &Context) -> Result<Option<Self>> {
        Self::within(ws, ctx, WITHIN)
    }

    /// The same for calls that are waited for inside a write.
    pub(crate) fn at_once(ws: &Workspace, ctx: &Context) -> Result<Option<Self>> {
        Self::within(ws, ctx, AT_ONCE)
    }

    fn within(ws: &Workspace, ctx: &Context, within: Duration) -> Result<Option<Self>> {
        let Some(settings) = ws.hub() else { return Ok(None) };
        let unusable = |why: &String| {
            Error::new(Kind::Usage, Key::ConfigInvalid, format!("the hub cannot be used: {why}"))
                .hint("correct `[hub]` in your own configuration (`hewto/config.toml` in `~/.config`)")
        };
        let token = settings.token.as_ref().map_err(unusable)?;
        let client = HubClient::new(&settings.url, token, settings.roots.as_deref(), within)
            .map_err(|why| unusable(&why))?;
        Ok(Some(Self { client: Arc::new(client), repo: repo_name(ws, ctx) }))
    }

    /// The hub of a workspace that has to have one.
    pub(crate) fn needed(ws: &Workspace, ctx: &Context) -> Result<Self> {
        Self::of(ws, ctx)?.ok_or_else(|| {
            Error::new(Kind::Usage, Key::ConfigInvalid, "no hub is named")
                .hint("write `[hub]` with `url` and `token_file` into your own configuration (`hewto/config.toml` in `~/.config`)")
        })
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        Self::read(self.client.get(path))
    }

    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &impl serde::Serialize) -> Result<T> {
        let bytes = serde_json::to_vec(body).map_err(|error| Error::validation(error.to_string()))?;
        Self::read(self.client.post(path, &bytes))
    }

    fn read<T: DeserializeOwned>(reply: std::result::Result<HubReply, String>) -> Result<T> {
        let HubReply { status, body } = reply.map_err(|why| unreachable(&why))?;
        let value: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
        if status == 200 {
            return serde_json::from_value(value).map_err(|error| {
                unreachable(&format!("its answer is not one of a hub of this version: {error}"))
            });
        }
        Err(refused(status, &value))
    }
}

fn unreachable(why: &str) -> Error {
    Error::new(Kind::Machine, Key::HubUnreachable, format!("the hub cannot be reached: {why}"))
        .hint("local work goes on without it; look at `[hub]` in your own configuration, and try again")
}

/// The hub answered, and not as a hub does: nothing of it is kept.
pub(crate) fn astray(why: &str) -> Error {
    Error::new(Kind::Machine, Key::HubUnreachable, format!("the hub does not answer as a hub does: {why}"))
        .hint("look at `[hub]` in your own configuration, and ask whoever runs the hub; local work goes on without it")
}

/// What the hub said no to, with its own words.
fn refused(status: u16, value: &Value) -> Error {
    let data = &value["error"]["data"];
    let name = data["error"].as_str().unwrap_or("unknown");
    let message = value["error"]["message"].as_str().unwrap_or("it gave no reason");
    let (kind, key) = match (status, Reason::parse(name)) {
        (_, Some(Reason::ClaimLost)) => (Kind::Refused, Key::ClaimLost),
        (_, Some(Reason::Claimed)) => (Kind::Refused, Key::Claimed),
        (_, Some(Reason::NothingReady)) => (Kind::Refused, Key::NothingReady),
        (_, Some(Reason::ApprovalStale)) => (Kind::Refused, Key::ApprovalStale),
        (500.., _) => (Kind::Machine, Key::HubUnreachable),
        _ => (Kind::Refused, Key::HubRefused),
    };
    let mut error = Error::new(kind, key, format!("the hub says: {message}"))
        .detail("reason", name)
        .detail("status", status);
    for name in ["version", "missing", "holders", "holder", "digest", "item", "fence"] {
        if let Some(value) = data.get(name) {
            error = error.detail(name, value.clone());
        }
    }
    match data["hint"].as_str() {
        Some(hint) => error.hint(hint.to_owned()),
        None => error,
    }
}

/// Why the hub refused something; `None` when it was not the hub, or a newer one.
pub(crate) fn reason(error: &Error) -> Option<Reason> {
    error.details.get("reason").and_then(Value::as_str).and_then(Reason::parse)
}

/// What the repository is called at the hub: as its configuration says, else as its origin, else as its folder.
fn repo_name(ws: &Workspace, ctx: &Context) -> String {
    if let Some(name) = ws.configuration(ctx).config.hub_repo.clone() {
        return name;
    }
    let origin = origin(ws).and_then(|url| {
        let name = url.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next()?.to_owned();
        hewto_core::hub::is_repo_name(&name).then_some(name)
    });
    let folder = || ws.root().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    origin.unwrap_or_else(folder)
}

/// The address of `origin`, as git's configuration has it.
fn origin(ws: &Workspace) -> Option<String> {
    let folder = ws.shared_folder().path();
    let text = read_git_text(&folder.parent()?.join("config")).ok()?;
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.replace(' ', "").eq_ignore_ascii_case("[remote\"origin\"]");
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == "url"
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

/// Text as it stands in an address.
pub(crate) fn escaped(raw: &str) -> String {
    use std::fmt::Write as _;
    raw.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}
