//! The statements of a push: few, because each is a round trip while the view is locked.

use std::collections::{BTreeMap, HashSet};

use hewto_core::hub::{Listed, PushRequest, READER_VERSION, Reading};
use sqlx::{Postgres, Transaction};

use super::{bytes_of, record_uid};
use crate::audit::{self, hex};
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

/// What a push writes.
pub(super) struct Written<'w> {
    pub(super) repo: i64,
    pub(super) principal: i64,
    pub(super) view: i64,
    /// What the audit says of it, in the same statement.
    pub(super) note: audit::Row,
    /// What the push asked for, to know it again by its key.
    pub(super) asked: &'w [u8],
    pub(super) removed: &'w [String],
    pub(super) readings: &'w [(&'w String, &'w Listed, Reading)],
}

impl Written<'_> {
    /// Writes it; the new version, and how many documents there are now. Texts, documents, version, key, event and audit are
    /// one statement: one document among a thousand costs as much as one document.
    pub(super) async fn write(&self, tx: &mut Tx, request: &PushRequest) -> Result<(i64, i64)> {
        let each = self.readings.iter();
        let paths: Vec<&str> = each.clone().map(|(path, _, _)| path.as_str()).collect();
        let here: HashSet<&str> = paths.iter().copied().collect();
        let gone: Vec<&str> =
            self.removed.iter().map(String::as_str).filter(|path| !here.contains(path)).collect();
        let hashes: Vec<Vec<u8>> = each.clone().map(|(_, listed, _)| bytes_of(&listed.sha256)).collect();
        let kinds: Vec<&str> = each.clone().map(|(_, listed, _)| listed.kind.as_str()).collect();
        let items: Vec<&str> = each.clone().map(|(_, listed, _)| listed.item.as_str()).collect();
        let capabilities: Vec<Option<&str>> =
            each.clone().map(|(_, listed, _)| listed.capability.as_deref()).collect();
        let titles: Vec<Option<&str>> =
            each.clone().map(|(_, _, reading)| reading.title.as_deref()).collect();
        let count = |reading: &Reading| i32::try_from(reading.requirements).unwrap_or(i32::MAX);
        let counts: Vec<i32> = each.clone().map(|(_, _, reading)| count(reading)).collect();
        let blobs: Vec<Vec<u8>> = request.blobs.keys().map(|hash| bytes_of(hash)).collect();
        let bodies: Vec<&str> = request.blobs.values().map(String::as_str).collect();
        let row: (i64, i64) = sqlx::query_as(
            "WITH texts AS (
                      INSERT INTO blob (repo, hash, body)
                      SELECT $2, h, b FROM unnest($12::bytea[], $13::text[]) AS x (h, b)
                      ON CONFLICT (repo, hash) DO UPDATE SET stored_at = now()
                          WHERE blob.stored_at < now() - interval '1 hour'),
                  t AS (DELETE FROM touch WHERE view = $1 AND path = ANY ($3::text[] || $11::text[])),
                  e AS (DELETE FROM edge WHERE view = $1 AND path = ANY ($3::text[] || $11::text[])),
                  gone AS (DELETE FROM entry WHERE view = $1 AND path = ANY ($11::text[]) RETURNING 1),
                  known AS (SELECT count(*) AS n FROM entry WHERE view = $1 AND path = ANY ($3::text[])),
                  put AS (
                      INSERT INTO entry (view, repo, path, hash, kind, item, capability, title, requirements, reader_version)
                      SELECT $1, $2, p, h, k, i, c, t, n, $10
                      FROM unnest($3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[])
                           AS x (p, h, k, i, c, t, n)
                      ON CONFLICT (view, path) DO UPDATE SET hash = excluded.hash, kind = excluded.kind,
                          item = excluded.item, capability = excluded.capability, title = excluded.title,
                          requirements = excluded.requirements, reader_version = excluded.reader_version),
                  moved AS (
                      UPDATE view SET version = version + 1, head = $14, pushed_at = now(),
                          documents = documents + cardinality($3::text[]) - known.n - (SELECT count(*) FROM gone)
                      FROM known WHERE id = $1 RETURNING version, documents),
                  keyed AS (
                      INSERT INTO push_key (repo, principal, key, view, version, documents, request)
                      SELECT $2, $15, $16, $1, version, documents, $17 FROM moved),
                  told AS (INSERT INTO event (repo, kind, key) VALUES ($2, 'push', $1::text)),
                  noted AS (
                      INSERT INTO audit (principal, repo, op, outcome, detail) VALUES ($18, $19, 'push', 'ok', $20))
             SELECT version, documents FROM moved",
        )
        .bind(self.view)
        .bind(self.repo)
        .bind(paths)
        .bind(hashes)
        .bind(kinds)
        .bind(items)
        .bind(capabilities)
        .bind(titles)
        .bind(counts)
        .bind(READER_VERSION)
        .bind(gone)
        .bind(blobs)
        .bind(bodies)
        .bind(&request.head)
        .bind(self.principal)
        .bind(&request.key)
        .bind(self.asked)
        .bind(&self.note.principal)
        .bind(&self.note.repo)
        .bind(&self.note.detail)
        .fetch_one(&mut **tx)
        .await?;
        // After the old ones are gone.
        self.fill_touches(tx).await?;
        self.fill_edges(tx).await?;
        Ok(row)
    }

    async fn fill_touches(&self, tx: &mut Tx) -> Result<()> {
        let touches: Vec<_> = self
            .readings
            .iter()
            .flat_map(|(path, listed, reading)| {
                reading.touches.iter().map(move |touch| (path, listed, touch))
            })
            .collect();
        if touches.is_empty() {
            return Ok(());
        }
        let column = |part: &dyn Fn(&(&&String, &&Listed, &hewto_core::hub::Touch)) -> String| {
            touches.iter().map(|(path, listed, touch)| part(&(path, listed, touch))).collect::<Vec<String>>()
        };
        let contents: Vec<Vec<u8>> =
            touches.iter().map(|(_, _, touch)| bytes_of(&touch.content.to_string())).collect();
        sqlx::query(
            "INSERT INTO touch (view, repo, path, change_id, capability, slug, requirement, op, content)
             SELECT $1, $2, p, i, c, s, r, o, h
             FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bytea[])
                  AS x (p, i, c, s, r, o, h)",
        )
        .bind(self.view)
        .bind(self.repo)
        .bind(column(&|(path, _, _)| (**path).clone()))
        .bind(column(&|(_, listed, _)| listed.item.trim_start_matches("change:").to_owned()))
        .bind(column(&|(_, listed, _)| listed.capability.clone().unwrap_or_default()))
        .bind(column(&|(_, _, touch)| touch.slug.clone()))
        .bind(column(&|(_, _, touch)| touch.name.clone()))
        .bind(column(&|(_, _, touch)| touch.operation.as_str().to_owned()))
        .bind(contents)
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    async fn fill_edges(&self, tx: &mut Tx) -> Result<()> {
        let edges: Vec<_> = self
            .readings
            .iter()
            .flat_map(|(path, listed, reading)| reading.edges.iter().map(move |edge| (path, listed, edge)))
            .collect();
        if edges.is_empty() {
            return Ok(());
        }
        let paths: Vec<&str> = edges.iter().map(|(path, _, _)| path.as_str()).collect();
        let items: Vec<&str> = edges.iter().map(|(_, listed, _)| listed.item.as_str()).collect();
        let repos: Vec<Option<&str>> = edges.iter().map(|(_, _, edge)| edge.repo.as_deref()).collect();
        let targets: Vec<&str> = edges.iter().map(|(_, _, edge)| edge.target.as_str()).collect();
        let kinds: Vec<&str> = edges.iter().map(|(_, _, edge)| edge.kind.as_str()).collect();
        sqlx::query(
            "INSERT INTO edge (view, repo, path, item, to_repo, target, kind)
             SELECT $1, $2, p, i, r, t, k
             FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS x (p, i, r, t, k)",
        )
        .bind(self.view)
        .bind(self.repo)
        .bind(paths)
        .bind(items)
        .bind(repos)
        .bind(targets)
        .bind(kinds)
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}

/// A record that was born here has come back in a push: git has it.
pub(super) async fn note_exported(
    tx: &mut Tx,
    repo: i64,
    readings: &[(&String, &Listed, Reading)],
) -> Result<()> {
    let uids: Vec<String> =
        readings.iter().filter_map(|(path, listed, _)| record_uid(path, listed.kind)).collect();
    if uids.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE review SET exported_at = now() WHERE repo = $1 AND uid = ANY ($2) AND exported_at IS NULL",
    )
    .bind(repo)
    .bind(uids)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
