//! What happened: one row for each call, and a chain of hashes over the rows.
//!
//! A call that changes something writes its row in its own transaction; a push of one document writes the words of the row with
//! its key, from where they are told. Others are gathered and written together, and those of strangers are counted. The chain is made behind them by one replica at a time, in the order in which rows became visible, so
//! no call waits for another. Rows and links cannot be updated or deleted through the schema; `verify` finds out whether
//! somebody went around it.

mod crowd;
mod gather;
mod tell;
mod text;
mod verify;

use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use self::crowd::Crowd;
pub(crate) use self::gather::Gatherer;
pub(crate) use self::tell::ToldUpTo;
use self::text::{shortened, without_nul, without_tokens};
pub use self::verify::Verified;
use crate::database::{Database, Sees};
use crate::error::Result;

/// One replica makes the chain at a time.
const CHAIN_LOCK: i64 = 7_420_001;
const LINKS_AT_ONCE: i64 = 2_000;
/// Later nobody is still writing a row, so it should be in the chain.
const SETTLED_S: f64 = 600.0;
/// Whom a row names that tells of calls of several.
pub(crate) const SEVERAL: &str = "several";
/// What a call comes to that did what was asked.
pub(crate) const OK: &str = "ok";
/// The longest of what a row says, in characters.
const MOST_NAME: usize = 200;
const MOST_WORD: usize = 60;
const MOST_DETAIL: usize = 4_000;

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
        Self { principal, repo, op, outcome: OK.to_owned(), detail: detail.into() }
    }

    /// The same, as the database takes it: whatever was sent, a row is short, and tells no secret.
    pub(crate) fn storable(&self) -> Self {
        let kept = |text: &str, most| shortened(&without_tokens(&without_nul(text)), most);
        Self {
            principal: kept(&self.principal, MOST_NAME),
            repo: kept(&self.repo, MOST_NAME),
            op: kept(&self.op, MOST_WORD),
            outcome: kept(&self.outcome, MOST_WORD),
            detail: kept(&self.detail, MOST_DETAIL),
        }
    }
}

/// Writes a row as part of what it tells of.
pub(crate) async fn note(tx: &mut Transaction<'static, Postgres>, row: &Row) -> Result<()> {
    let row = row.storable();
    sqlx::query("INSERT INTO audit (principal, repo, op, outcome, detail) VALUES ($1, $2, $3, $4, $5)")
        .bind(row.principal)
        .bind(row.repo)
        .bind(row.op)
        .bind(row.outcome)
        .bind(row.detail)
        .execute(&mut **tx)
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

/// Tells the audit of pushes, and adds links for those and for rows that are visible to everybody; returns how many.
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
    // From the end of the chain backwards, or from now where the clock was set back since. Of rows that somebody gave one number only
    // the first can be linked; `verify` tells of the others.
    let others: Vec<Sealed> = sqlx::query_as(AssertSqlSafe(format!(
        "SELECT DISTINCT ON (a.id) {COLUMNS} FROM audit a
         WHERE a.at >= coalesce((SELECT least(l.at, now()) FROM audit_link l ORDER BY l.seq DESC LIMIT 1), '-infinity')
                       - make_interval(secs => $1)
           AND a.xid < pg_snapshot_xmin(pg_current_snapshot())
           AND NOT EXISTS (SELECT 1 FROM audit_link l WHERE l.audit = a.id)
         ORDER BY a.id, a.at LIMIT {LINKS_AT_ONCE}"
    )))
    .bind(reach.seconds())
    .fetch_all(&mut *tx)
    .await?;
    // Those that are told here are linked here, however late they come; so the others were looked for before.
    let (mut rows, up_to) = tell::pushes(&mut tx, &database.told).await?;
    rows.extend(others);
    if rows.is_empty() {
        database.told.reached(up_to);
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
    database.told.reached(up_to);
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
