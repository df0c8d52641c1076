//! Pushing: what differs from the last push, as one call where it is small.

use std::collections::BTreeMap;

use hewto_core::hub::{
    BlobsRequest, DocKind, HeldClaim, INLINE_BYTES, Listed, PROTOCOL, PushRequest, Pushed, Reason, ViewKind,
    ViewName,
};
use hewto_store::{Context, DocKey, current_branch, head_commit};
use serde::{Deserialize, Serialize};

use super::manifest::{Manifest, Memory, gather};
use super::outbox::{self, Brought};
use super::{Link, escaped, reason, state};
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Texts that are sent in one call when the hub asks for them.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;
/// How often a push that met another one is tried again.
const ATTEMPTS: usize = 4;

/// What is pushed, and as what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushOptions {
    /// As this branch, which only CI may; without it as this work tree, or as the branch of a CI token.
    pub branch: Option<String>,
    /// The name of the repository at the hub.
    pub repo: Option<String>,
    /// Everything, whatever was pushed before.
    pub whole: bool,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PushView {
    pub repo: String,
    pub kind: String,
    pub view: String,
    pub version: u64,
    pub documents: u64,
    /// How many were new or different.
    pub changed: usize,
    pub removed: usize,
    /// Records that came back from the hub, as files.
    pub brought: Vec<String>,
    /// The hub has more records than one push fetches; the next one goes on there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

#[derive(Debug, Deserialize)]
struct Granted {
    role: String,
}

/// Fetches what was decided at the hub, then pushes what is here.
pub fn push(ws: &Workspace, ctx: &Context, options: &PushOptions) -> Result<PushView> {
    push_remembering(ws, ctx, options, &mut Memory::default())
}

pub(super) fn push_remembering(
    ws: &Workspace,
    ctx: &Context,
    options: &PushOptions,
    memory: &mut Memory,
) -> Result<PushView> {
    let mut link = Link::needed(ws, ctx)?;
    if let Some(repo) = &options.repo {
        link.repo.clone_from(repo);
    }
    // Before anything else is told: a repository that the token is not for stays unknown to the hub.
    let granted: Granted = link.get(&format!("access?repo={}", escaped(&link.repo)))?;
    let view = view_name(ws, options, &granted.role)?;
    let Brought { records, more, .. } = if view.kind == ViewKind::Worktree {
        outbox::pull(ws, ctx, &link, None)?
    } else {
        Brought::default()
    };
    let mut last = None;
    for _ in 0..ATTEMPTS {
        ctx.check()?;
        let manifest = gather(ws, ctx, memory)?;
        match attempt(ws, ctx, &link, &view, &manifest, options.whole || last.is_some()) {
            Ok(pushed) => return Ok(PushView { brought: records, more, ..pushed }),
            Err(error) if matches!(reason(&error), Some(Reason::Stale | Reason::MissingBlobs)) => {
                last = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| Error::validation("nothing was pushed")))
}

fn attempt(
    ws: &Workspace,
    ctx: &Context,
    link: &Link,
    view: &ViewName,
    manifest: &Manifest,
    anew: bool,
) -> Result<PushView> {
    let url = ws.hub().map(|settings| settings.url.clone()).unwrap_or_default();
    let known = if anew { None } else { state::read(ws, &url, &link.repo, &view.name) };
    let base = match &known {
        Some(known) => known.version,
        None => version(link, view)?,
    };
    let before = known.as_ref().map(|known| &known.documents);
    let is_new =
        |path: &String, listed: &Listed| before.is_none_or(|before| before.get(path) != Some(&listed.sha256));
    let set: BTreeMap<String, Listed> = manifest
        .listed
        .iter()
        .filter(|(path, listed)| is_new(path, listed))
        .map(|(path, listed)| (path.clone(), listed.clone()))
        .collect();
    let removed: Vec<String> = before
        .into_iter()
        .flatten()
        .map(|(path, _)| path)
        .filter(|path| !manifest.listed.contains_key(*path))
        .cloned()
        .collect();
    let (changed, gone) = (set.len(), removed.len());
    if let Some(known) = known.as_ref().filter(|_| changed == 0 && gone == 0) {
        return Ok(shown(link, view, known.version, manifest.listed.len() as u64, 0, 0));
    }
    let blobs = if known.is_some() { inline(ws, ctx, &set)? } else { BTreeMap::new() };
    let mut request = PushRequest {
        protocol: PROTOCOL,
        repo: link.repo.clone(),
        view: view.clone(),
        head: head_commit(ws.root()),
        base,
        key: ctx.uuid().simple().to_string(),
        whole: known.is_none(),
        set,
        removed,
        blobs,
        claims: Vec::new(),
    };
    request.claims = claims(ws, ctx, &request)?;
    let pushed: Pushed = match send(link, &request) {
        Err(error) if reason(&error) == Some(Reason::MissingBlobs) => {
            upload(ws, ctx, link, &request, &error)?;
            request.key = ctx.uuid().simple().to_string();
            send(link, &request)?
        }
        Err(error) => {
            if reason(&error) == Some(Reason::Stale) {
                state::forget(ws);
            }
            return Err(error);
        }
        Ok(pushed) => pushed,
    };
    let documents =
        manifest.listed.iter().map(|(path, listed)| (path.clone(), listed.sha256.clone())).collect();
    let (repo, name) = (link.repo.clone(), view.name.clone());
    state::write(ws, &state::Pushed { url, repo, view: name, version: pushed.version, documents })?;
    Ok(shown(link, view, pushed.version, pushed.documents, changed, gone))
}

/// Sends a push; one whose answer was lost is sent again with its key, which does it once.
fn send(link: &Link, request: &PushRequest) -> Result<Pushed> {
    let mut sent = link.post("push", request);
    for _ in 0..2 {
        match &sent {
            Err(error) if error.key == Key::HubUnreachable => sent = link.post("push", request),
            _ => break,
        }
    }
    sent
}

/// Sends the texts that the hub lacks, in pieces; a piece that arrived is not asked for again.
fn upload(ws: &Workspace, ctx: &Context, link: &Link, request: &PushRequest, error: &Error) -> Result<()> {
    let missing: Vec<String> = error
        .details
        .get("missing")
        .and_then(|value| serde_json::from_value(value.clone()).ok())
        .unwrap_or_default();
    let mut chunk: BTreeMap<String, String> = BTreeMap::new();
    let mut bytes = 0;
    let flush = |chunk: &mut BTreeMap<String, String>| -> Result<()> {
        if !chunk.is_empty() {
            let blobs = std::mem::take(chunk);
            let _: serde_json::Value =
                link.post("blobs", &BlobsRequest { repo: link.repo.clone(), blobs })?;
        }
        Ok(())
    };
    for (path, listed) in request.set.iter().filter(|(_, listed)| missing.contains(&listed.sha256)) {
        ctx.check()?;
        let Some(text) = text(ws, ctx, path, listed)? else { continue };
        bytes += text.len();
        chunk.insert(listed.sha256.clone(), text);
        if bytes >= CHUNK_BYTES {
            flush(&mut chunk)?;
            bytes = 0;
        }
    }
    flush(&mut chunk)
}

/// The texts themselves, where they are small together.
fn inline(ws: &Workspace, ctx: &Context, set: &BTreeMap<String, Listed>) -> Result<BTreeMap<String, String>> {
    let mut blobs = BTreeMap::new();
    let mut bytes = 0;
    for (path, listed) in set {
        let Some(text) = text(ws, ctx, path, listed)? else { continue };
        bytes += text.len();
        if bytes > INLINE_BYTES {
            return Ok(BTreeMap::new());
        }
        blobs.insert(listed.sha256.clone(), text);
    }
    Ok(blobs)
}

/// A document, if it still is what was listed.
fn text(ws: &Workspace, ctx: &Context, path: &str, listed: &Listed) -> Result<Option<String>> {
    let Some(key) = DocKey::named(path) else { return Ok(None) };
    let Some(doc) = ws.store().read(ctx, &key)? else { return Ok(None) };
    let is_same = hewto_core::review::Digest::of(doc.text.as_bytes()).to_string() == listed.sha256;
    Ok(is_same.then_some(doc.text))
}

/// The claims under which the items of this push were changed.
fn claims(ws: &Workspace, ctx: &Context, request: &PushRequest) -> Result<Vec<HeldClaim>> {
    let changed = |item: &str| {
        request.set.values().any(|listed| listed.item == item && listed.kind != DocKind::Decision)
    };
    let held = crate::claim::of_this_worktree(ws, ctx, changed)?;
    Ok(held.into_iter().map(|(item, fence)| HeldClaim { item, fence }).collect())
}

fn version(link: &Link, view: &ViewName) -> Result<u64> {
    #[derive(Deserialize)]
    struct At {
        version: u64,
    }
    let path =
        format!("view?repo={}&kind={}&name={}", escaped(&link.repo), view.kind.as_str(), escaped(&view.name));
    Ok(link.get::<At>(&path)?.version)
}

fn view_name(ws: &Workspace, options: &PushOptions, role: &str) -> Result<ViewName> {
    if let Some(branch) = &options.branch {
        return Ok(ViewName { kind: ViewKind::Branch, name: branch.clone() });
    }
    if role == "ci" {
        let branch = current_branch(ws.root()).ok_or_else(|| {
            Error::new(Kind::Usage, Key::Usage, "this checkout is on no branch")
                .hint("name the branch that it stands for with `--branch NAME`")
        })?;
        return Ok(ViewName { kind: ViewKind::Branch, name: branch });
    }
    let machine = hewto_store::machine_name();
    let mut name = format!("{machine}:{}", ws.root().display());
    if name.len() > 180 {
        let digest = hewto_core::review::Digest::of(name.as_bytes()).short();
        name = format!("{machine}:{digest}");
    }
    Ok(ViewName { kind: ViewKind::Worktree, name })
}

fn shown(
    link: &Link,
    view: &ViewName,
    version: u64,
    documents: u64,
    changed: usize,
    removed: usize,
) -> PushView {
    PushView {
        repo: link.repo.clone(),
        kind: view.kind.as_str().to_owned(),
        view: view.name.clone(),
        version,
        documents,
        changed,
        removed,
        brought: Vec::new(),
        more: false,
    }
}
