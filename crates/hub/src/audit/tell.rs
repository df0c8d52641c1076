//! Telling the audit of pushes whose words stand with their keys.
//!
//! A push of one document writes one row for its key and its audit, because every row takes time that somebody waits for. Whoever
//! makes the chain moves the words into the audit: in one transaction they are in the audit, in the chain, and with the key no
//! more, so each is told once, whoever is killed meanwhile and however many try. Until then the schema lets nobody change the row.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::{AssertSqlSafe, Postgres, Transaction};

use super::{COLUMNS, LINKS_AT_ONCE, Sealed};
use crate::error::{Error, Result};
use crate::follow::{self, Mark};

/// A row of the audit, and the transaction of the push.
type Told = (i64, i64, String, String, String, String, String, String);

/// What could not be seen at a mark: its transaction was among those that ran then, or has begun since.
const NEWER: &str = "AND (k.xid >= pg_snapshot_xmax($1::text::pg_snapshot)
                  OR k.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot))))";

/// How far this process has told the audit; clones share it. It only saves looking: the rows themselves say what is left to tell, and
/// whoever has no mark looks at all of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToldUpTo(Arc<Mutex<Option<Mark>>>);

impl ToldUpTo {
    /// The next look is at everything again.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    /// Nothing is left to tell up to here; with nothing said, it stays where it was.
    pub(super) fn reached(&self, mark: Option<Mark>) {
        if mark.is_some() {
            *self.lock() = mark;
        }
    }

    fn last(&self) -> Option<Mark> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Mark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves what pushes have to say into the audit; the new rows, and how far everything is told then. Whoever calls holds the lock of
/// the chain, sees all repositories, and links the rows in the same transaction.
pub(super) async fn pushes(
    tx: &mut Transaction<'static, Postgres>,
    told: &ToldUpTo,
) -> Result<(Vec<Sealed>, Option<Mark>)> {
    // Taken before the look: what comes in between is looked at twice, and told once.
    let now = follow::mark_in(tx).await?;
    // Another server, or one that crashed or was put back, gives out numbers of transactions again.
    let last = told.last().filter(|last| last.started == now.started);
    let found = format!(
        "WITH untold AS (
             SELECT k.at, k.xid, k.audit_principal, k.audit_repo, k.audit_detail FROM push_key k
             WHERE k.audit_detail IS NOT NULL {} ORDER BY k.xid LIMIT {LINKS_AT_ONCE}
         ), a AS (
             INSERT INTO audit (at, xid, principal, repo, op, outcome, detail)
             SELECT at, xid, audit_principal, audit_repo, 'push', 'ok', audit_detail FROM untold
             RETURNING id, at, xid, principal, repo, op, outcome, detail
         )
         SELECT {COLUMNS}, a.xid::text FROM a ORDER BY a.id",
        if last.is_some() { NEWER } else { "" }
    );
    let found = sqlx::query_as(AssertSqlSafe(found));
    let found = last.iter().fold(found, |found, last| found.bind(&last.snapshot));
    let found: Vec<Told> = found.fetch_all(&mut **tx).await?;
    let (mut rows, mut transactions) = (Vec::new(), Vec::new());
    for (id, at, principal, repo, op, outcome, detail, transaction) in found {
        rows.push((id, at, principal, repo, op, outcome, detail));
        transactions.push(transaction);
    }
    if !rows.is_empty() {
        // A push is a transaction, so each of these is one row.
        let done = sqlx::query(
            "UPDATE push_key k SET audit_principal = NULL, audit_repo = NULL, audit_detail = NULL
             WHERE k.xid = ANY ($1::text[]::xid8[]) AND k.audit_detail IS NOT NULL",
        )
        .bind(transactions)
        .execute(&mut **tx)
        .await?;
        if done.rows_affected() != rows.len() as u64 {
            return Err(Error::unavailable());
        }
    }
    let is_all = i64::try_from(rows.len()).is_ok_and(|rows| rows < LINKS_AT_ONCE);
    Ok((rows, is_all.then_some(now)))
}
