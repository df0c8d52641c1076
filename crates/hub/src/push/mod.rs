//! A push: what somebody has in a branch or a work tree, as one transaction.

mod claims;
mod store;
mod write;

use std::collections::BTreeMap;

use hewto_core::hub::{BlobsRequest, Listed, PushRequest, Pushed, Reason, read_document};
use hewto_core::review::Digest;
use serde_json::json;

use crate::access::{Access, Right};
use crate::audit;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};

use self::write::{Read, Writer};

/// Fewer bytes are read in less time than it takes to move others to another thread.
const BRIEF: usize = 64 * 1024;

/// Takes a push, or says why not. Nothing of a push that is refused is kept.
pub(crate) async fn push(database: &Database, access: &Access, request: PushRequest) -> Result<Pushed> {
    let bytes: usize = request.blobs.values().map(String::len).sum();
    aside(bytes, || request.check())?;
    let right = if request.is_branch() { Right::PushBranch } else { Right::PushWorktree };
    let repo = access.repo(database, &request.repo, right).await?;
    aside(bytes, || request.check_hashes())?;
    let (asked, owner) = (what_is_asked(&request), (!request.is_branch()).then_some(access.principal));
    let writer = Writer { access, repo: &repo, owner, request: &request, asked: &asked };
    // Where everything came along there is nothing to ask before.
    if let Some(readings) = aside(bytes, || read_at_once(&request)) {
        let mut connection = database.writer().await?;
        let done = writer.write_at_once(&mut connection, &readings).await?;
        database.keep_warm(connection);
        if let Some(documents) = done {
            return Ok(answer(&request, next_version(&request), documents, false));
        }
    }

    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    let view = store::lock_view(&mut tx, repo.id, owner, &request, access.principal).await?;
    if let Some(done) = view.done {
        if done.view != view.id || done.request.is_some_and(|before| before != asked) {
            return Err(Error::conflict(Reason::KeyReused, "this key was used for another push")
                .hint("send a new key with every push that is not a repetition"));
        }
        return Ok(answer(&request, done.version, done.documents, true));
    }
    if view.version != signed(request.base) {
        return Err(Error::conflict(
            Reason::Stale,
            format!("the view is at version {}, not {}", view.version, request.base),
        )
        .detail("version", view.version)
        .hint("push again from that version"));
    }
    claims::refuse_lost_claims(&mut tx, repo.id, &access.name, &request).await?;

    let current = if request.whole { store::current(&mut tx, view.id).await? } else { BTreeMap::new() };
    let is_same = |path: &String, listed: &Listed| {
        current.get(path).is_some_and(|(hash, kind)| *hash == listed.sha256 && kind == listed.kind.as_str())
    };
    let changed: Vec<(&String, &Listed)> =
        request.set.iter().filter(|(path, listed)| !is_same(path, listed)).collect();
    let removed: Vec<String> = if request.whole {
        current.keys().filter(|path| !request.set.contains_key(*path)).cloned().collect()
    } else {
        request.removed.clone()
    };
    let wanted: Vec<&str> = changed.iter().map(|(_, listed)| listed.sha256.as_str()).collect();
    let texts = store::texts(&mut tx, repo.id, &request.blobs, &wanted).await?;
    let missing: Vec<&str> = wanted.into_iter().filter(|hash| !texts.contains_key(*hash)).collect();
    if !missing.is_empty() {
        let documents = match missing.len() {
            1 => "1 document is".to_owned(),
            many => format!("{many} documents are"),
        };
        return Err(Error::conflict(Reason::MissingBlobs, format!("{documents} not here yet"))
            .detail("missing", json!(missing))
            .detail("version", view.version)
            .hint("send them, then push again"));
    }
    let size = texts.values().map(String::len).sum();
    let readings: Vec<Read<'_>> = aside(size, || {
        let read = changed.into_iter();
        read.map(|(path, listed)| (path, listed, read_document(listed, &texts[&listed.sha256]))).collect()
    });
    // Whoever holds the view finds it as it was, unless a claim was given away in this very moment.
    let done = writer.write(&mut tx, &readings, &removed).await?;
    let documents = done.ok_or_else(Error::unavailable)?;
    tx.commit().await?;
    Ok(answer(&request, next_version(&request), documents, false))
}

/// The documents of a small push whose texts all came along.
fn read_at_once(request: &PushRequest) -> Option<Vec<Read<'_>>> {
    if request.whole || request.base == 0 {
        return None;
    }
    let read = |listed: &Listed| Some(read_document(listed, request.blobs.get(&listed.sha256)?));
    request.set.iter().map(|(path, listed)| Some((path, listed, read(listed)?))).collect()
}

/// Keeps texts that a push will name.
pub(crate) async fn blobs(database: &Database, access: &Access, request: BlobsRequest) -> Result<usize> {
    let request = tokio::task::spawn_blocking(move || request.check().map(|()| request))
        .await
        .map_err(|_| Error::unavailable())??;
    let right = Right::PushWorktree;
    let repo = match access.repo(database, &request.repo, right).await {
        Err(error) if error.reason == Reason::RoleInsufficient => {
            access.repo(database, &request.repo, Right::PushBranch).await?
        }
        other => other?,
    };
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    store::keep_blobs(&mut tx, repo.id, &request.blobs).await?;
    let detail = format!("{} texts", request.blobs.len());
    audit::note(&mut tx, &audit::Row::new(&access.name, &repo.name, "blobs", detail)).await?;
    tx.commit().await?;
    Ok(request.blobs.len())
}

/// Does what takes long for so many bytes where it holds up nobody else: whoever sends megabytes to every thread that talks
/// would keep all others waiting, also those who ask whether the hub lives.
pub(crate) fn aside<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if bytes < BRIEF { work() } else { tokio::task::block_in_place(work) }
}

/// What a push asks for, whatever texts travel with it.
fn what_is_asked(request: &PushRequest) -> Vec<u8> {
    let asked = (&request.view, &request.head, request.base, request.whole, &request.set, &request.removed);
    let bytes = serde_json::to_vec(&asked).unwrap_or_default();
    Digest::of(&bytes).as_bytes().to_vec()
}

fn answer(request: &PushRequest, version: i64, documents: i64, repeated: bool) -> Pushed {
    Pushed {
        repo: request.repo.clone(),
        view: request.view.name.clone(),
        version: u64::try_from(version).unwrap_or(0),
        documents: u64::try_from(documents).unwrap_or(0),
        repeated,
    }
}

/// The version that a push makes of the one that it began from.
fn next_version(request: &PushRequest) -> i64 {
    signed(request.base).saturating_add(1)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn bytes_of(hash: &str) -> Vec<u8> {
    let pair = |at: usize| u8::from_str_radix(hash.get(at..at + 2).unwrap_or("00"), 16).unwrap_or(0);
    (0..hash.len() / 2).map(|at| pair(at * 2)).collect()
}
