//! The statements of a push: one where everything came along, otherwise few, because each is a round trip while the view is locked.

use std::collections::BTreeMap;

use hewto_core::hub::{PushRequest, READER_VERSION};
use sqlx::{Postgres, Transaction};

use super::bytes_of;
use crate::audit::hex;
use crate::error::{Error, Result};

type Tx = Transaction<'static, Postgres>;

/// A view that nobody else writes until the transaction ends.
pub(super) struct LockedView {
    pub(super) id: i64,
    pub(super) version: i64,
    /// What came of the push with this key, where there was one.
    pub(super) done: Option<Done>,
}

/// A push that was done before.
pub(super) struct Done {
    pub(super) view: i64,
    pub(super) version: i64,
    pub(super) documents: i64,
    pub(super) request: Option<Vec<u8>>,
}

pub(super) async fn lock_view(
    tx: &mut Tx,
    repo: i64,
    owner: Option<i64>,
    request: &PushRequest,
    principal: i64,
) -> Result<LockedView> {
    type Row = (i64, i64, Option<i64>, Option<i64>, Option<i64>, Option<Vec<u8>>);
    for attempt in 0..2 {
        let row: Option<Row> = sqlx::query_as(
            "SELECT v.id, v.version, k.view, k.version, k.documents, k.request FROM view v
             LEFT JOIN push_key k ON k.repo = v.repo AND k.principal = $5 AND k.key = $6
             WHERE v.repo = $1 AND v.kind = $2 AND coalesce(v.owner, 0) = coalesce($3, 0) AND v.name = $4
             FOR UPDATE OF v",
        )
        .bind(repo)
        .bind(request.view.kind.as_str())
        .bind(owner)
        .bind(&request.view.name)
        .bind(principal)
        .bind(&request.key)
        .fetch_optional(&mut **tx)
        .await?;
        if let Some((id, at, view, version, documents, request)) = row {
            let done = || Some(Done { view: view?, version: version?, documents: documents?, request });
            return Ok(LockedView { id, version: at, done: done() });
        }
        if attempt == 0 {
            sqlx::query(
                "INSERT INTO view (repo, kind, name, owner, head) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT DO NOTHING",
            )
            .bind(repo)
            .bind(request.view.kind.as_str())
            .bind(&request.view.name)
            .bind(owner)
            .bind(&request.head)
            .execute(&mut **tx)
            .await?;
        }
    }
    Err(Error::unavailable())
}

pub(super) async fn keep_blobs(tx: &mut Tx, repo: i64, blobs: &BTreeMap<String, String>) -> Result<()> {
    if blobs.is_empty() {
        return Ok(());
    }
    let hashes: Vec<Vec<u8>> = blobs.keys().map(|hash| bytes_of(hash)).collect();
    let bodies: Vec<&str> = blobs.values().map(String::as_str).collect();
    sqlx::query(
        "INSERT INTO blob (repo, hash, body) SELECT $1, h, b FROM unnest($2::bytea[], $3::text[]) AS x (h, b)
         ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now() WHERE blob.stored_at < now() - interval '1 hour'",
    )
    .bind(repo)
    .bind(hashes)
    .bind(bodies)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// What the view holds now: path, hash, kind. What an older reader read is of no kind, and read again.
pub(super) async fn current(tx: &mut Tx, view: i64) -> Result<BTreeMap<String, (String, String)>> {
    let rows: Vec<(String, Vec<u8>, String)> = sqlx::query_as(
        "SELECT path, hash, CASE WHEN reader_version = $2 THEN kind ELSE '' END FROM entry WHERE view = $1",
    )
    .bind(view)
    .bind(READER_VERSION)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|(path, hash, kind)| (path, (hex(&hash), kind))).collect())
}

/// The texts with these hashes, as far as they are here.
pub(super) async fn texts(
    tx: &mut Tx,
    repo: i64,
    sent: &BTreeMap<String, String>,
    wanted: &[&str],
) -> Result<BTreeMap<String, String>> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut others: Vec<Vec<u8>> = Vec::new();
    for hash in wanted {
        match sent.get(*hash) {
            Some(text) => drop(texts.insert((*hash).to_owned(), text.clone())),
            None => others.push(bytes_of(hash)),
        }
    }
    if !others.is_empty() {
        // Before they are read: what is going to be named is not swept away meanwhile.
        sqlx::query(
            "UPDATE blob SET stored_at = now()
             WHERE repo = $1 AND hash = ANY ($2) AND stored_at < now() - interval '1 hour'",
        )
        .bind(repo)
        .bind(&others)
        .execute(&mut **tx)
        .await?;
        let rows: Vec<(Vec<u8>, String)> =
            sqlx::query_as("SELECT hash, body FROM blob WHERE repo = $1 AND hash = ANY ($2)")
                .bind(repo)
                .bind(others)
                .fetch_all(&mut **tx)
                .await?;
        texts.extend(rows.into_iter().map(|(hash, body)| (hex(&hash), body)));
    }
    Ok(texts)
}
