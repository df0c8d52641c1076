//! What happened: one row for each call, and a chain of hashes over the rows.
//!
//! A call that changes something writes its row in its own transaction; others are gathered and written together. The chain is
//! made behind them by one replica at a time, in the order in which rows became visible, so no call waits for another. Rows and
//! links cannot be updated or deleted through the schema; `verify` finds out whether somebody went around it.

mod verify;

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Postgres, Transaction};
use tokio::sync::mpsc;

use crate::database::{Database, Sees};
use crate::error::Result;

pub use self::verify::Verified;

/// One replica makes the chain at a time.
const CHAIN_LOCK: i64 = 7_420_001;
const LINKS_AT_ONCE: i64 = 2_000;
const ROWS_AT_ONCE: usize = 500;
/// Rows of calls that changed nothing wait for each other for so long.
const GATHER: Duration = Duration::from_millis(100);
/// Later nobody is still writing a row, so it should be in the chain.
const SETTLED_S: f64 = 600.0;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) principal: String,
    pub(crate) repo: String,
    pub(crate) op: String,
    pub(crate) outcome: String,
    pub(crate) detail: String,
}

impl Row {
    pub(crate) fn new(principal: &str, repo: &str, op: &str, detail: impl Into<String>) -> Self {
        let (principal, repo, op) = (principal.to_owned(), repo.to_owned(), op.to_owned());
        Self { principal, repo, op, outcome: "ok".to_owned(), detail: detail.into() }
    }

    /// The same, as the database takes it.
    pub(crate) fn storable(self) -> Self {
        let Self { principal, repo, op, outcome, detail } = self;
        let (principal, repo, op) = (storable(&principal), storable(&repo), storable(&op));
        Self { principal, repo, op, outcome: storable(&outcome), detail: storable(&detail) }
    }
}

/// A text as the database takes it: a refusal may quote what was sent, and PostgreSQL keeps no NUL. One row that it refused
/// would hold up all that come after.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Writes a row as part of what it tells of.
pub(crate) async fn note(tx: &mut Transaction<'static, Postgres>, row: &Row) -> Result<()> {
    sqlx::query("INSERT INTO audit (principal, repo, op, outcome, detail) VALUES ($1, $2, $3, $4, $5)")
        .bind(storable(&row.principal))
        .bind(storable(&row.repo))
        .bind(storable(&row.op))
        .bind(storable(&row.outcome))
        .bind(storable(&row.detail))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Writes the rows of calls that changed nothing, until nobody can send any more.
pub(crate) async fn gather(database: Database, mut rows: mpsc::Receiver<Row>) {
    let mut waiting = Vec::new();
    while rows.recv_many(&mut waiting, ROWS_AT_ONCE).await > 0 {
        if waiting.len() < ROWS_AT_ONCE && !rows.is_closed() {
            tokio::time::sleep(GATHER).await;
            while waiting.len() < ROWS_AT_ONCE {
                let Ok(row) = rows.try_recv() else { break };
                waiting.push(row);
            }
        }
        let mut pause = GATHER;
        while let Err(error) = insert(&database, &waiting).await {
            tracing::warn!(%error, rows = waiting.len(), "the audit cannot be written; trying again");
            if rows.is_closed() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(5));
        }
        waiting.clear();
    }
}

async fn insert(database: &Database, rows: &[Row]) -> Result<()> {
    let column =
        |part: fn(&Row) -> &String| rows.iter().map(|row| storable(part(row))).collect::<Vec<String>>();
    sqlx::query(
        "INSERT INTO audit (principal, repo, op, outcome, detail)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])",
    )
    .bind(column(|row| &row.principal))
    .bind(column(|row| &row.repo))
    .bind(column(|row| &row.op))
    .bind(column(|row| &row.outcome))
    .bind(column(|row| &row.detail))
    .execute(&database.pool)
    .await?;
    Ok(())
}

/// A row as the chain covers it.
type Sealed = (i64, i64, String, String, String, String, String);

const COLUMNS: &str =
    "a.id, (extract(epoch FROM a.at) * 1000000)::bigint, a.principal, a.repo, a.op, a.outcome, a.detail";

/// How far behind the end of the chain rows are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As far as nearly every transaction takes, so that a look costs the same however much was called before.
    Moments,
    /// As far as any transaction takes.
    Settled,
}

impl Reach {
    fn seconds(self) -> f64 {
        match self {
            Self::Moments => 5.0,
            Self::Settled => SETTLED_S,
        }
    }
}

/// Adds links for rows that are visible to everybody; returns how many.
pub(crate) async fn link(database: &Database, reach: Reach) -> Result<usize> {
    let mut tx = database.begin(Sees::All).await?;
    let ours: bool = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)")
        .bind(CHAIN_LOCK)
        .fetch_one(&mut *tx)
        .await?;
    if !ours {
        return Ok(0);
    }
    let last: Option<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT seq, hash FROM audit_link ORDER BY seq DESC LIMIT 1")
            .fetch_optional(&mut *tx)
            .await?;
    let (mut seq, mut prev) = last.unwrap_or((0, vec![0; 32]));
    // From the end of the chain backwards, or from now where the clock was set back since.
    let rows: Vec<Sealed> = sqlx::query_as(AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM audit a
         WHERE a.at >= coalesce((SELECT least(l.at, now()) FROM audit_link l ORDER BY l.seq DESC LIMIT 1), '-infinity')
                       - make_interval(secs => $1)
           AND a.xid < pg_snapshot_xmin(pg_current_snapshot())
           AND NOT EXISTS (SELECT 1 FROM audit_link l WHERE l.audit = a.id)
         ORDER BY a.id LIMIT {LINKS_AT_ONCE}"
    )))
    .bind(reach.seconds())
    .fetch_all(&mut *tx)
    .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let (mut seqs, mut ids, mut times, mut prevs, mut hashes) = (vec![], vec![], vec![], vec![], vec![]);
    for row in &rows {
        seq += 1;
        let hash = chained(&prev, row);
        seqs.push(seq);
        ids.push(row.0);
        times.push(row.1);
        prevs.push(std::mem::replace(&mut prev, hash.clone()));
        hashes.push(hash);
    }
    sqlx::query(
        "INSERT INTO audit_link (seq, audit, at, prev, hash)
         SELECT s, i, to_timestamp(t / 1000000.0), p, h
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[]) AS x (s, i, t, p, h)",
    )
    .bind(seqs)
    .bind(ids)
    .bind(times)
    .bind(prevs)
    .bind(hashes)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(rows.len())
}

/// The hash of a row behind another: every field with its length, so that nothing can move from one to the next.
fn chained(prev: &[u8], row: &Sealed) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(prev);
    for field in [&row.0.to_string(), &row.1.to_string(), &row.2, &row.3, &row.4, &row.5, &row.6] {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field.as_bytes());
    }
    hash.finalize().to_vec()
}

/// The partitions of this month and the next.
pub(crate) async fn ensure_partitions(database: &Database) -> Result<()> {
    let months: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT to_char(m, 'YYYY_MM'), to_char(m, 'YYYY-MM-01'), to_char(m + interval '1 month', 'YYYY-MM-01')
         FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                              date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month', interval '1 month') m",
    )
    .fetch_all(&database.pool)
    .await?;
    for (name, from, to) in months {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS audit_{name} PARTITION OF audit FOR VALUES FROM ('{from} 00:00:00Z') TO ('{to} 00:00:00Z');
             CREATE OR REPLACE TRIGGER audit_never_truncated BEFORE TRUNCATE ON audit_{name}
                 FOR EACH STATEMENT EXECUTE FUNCTION append_only()"
        );
        if let Err(error) = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&database.pool).await {
            // Another replica makes it at the same moment, or rows are in the partition for the rest already.
            tracing::debug!(%error, "a partition of the audit was not made");
        }
    }
    Ok(())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
