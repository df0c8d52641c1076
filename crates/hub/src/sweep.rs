//! Taking away what nobody needs any more, a little at a time: a hub that runs for years stays as large as what is pushed.

use sqlx::query::Query;

use crate::database::{Database, Sees};
use crate::error::Result;

/// So many rows go in one transaction, and so many transactions in one sweep: nobody waits for it.
const AT_ONCE: i64 = 1_000;
const TURNS: usize = 50;
/// So many repositories are looked at together for texts that nothing names. Their documents are read as a whole for that: no
/// index has documents by hash, because every push would have to write it.
const REPOS_AT_ONCE: i64 = 1_000;

/// Old events and keys, and what was shown long ago. A key of which the audit was not told yet stays, however old it is.
const SWEPT: [&str; 3] = [
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE at < now() - interval '2 days' LIMIT $1)",
    "DELETE FROM push_key WHERE (repo, principal, key) IN
         (SELECT repo, principal, key FROM push_key WHERE at < now() - interval '7 days' AND audit_detail IS NULL LIMIT $1)",
    "DELETE FROM shown WHERE (repo, digest) IN
         (SELECT repo, digest FROM shown WHERE at < now() - interval '90 days' LIMIT $1)",
];

/// Texts that no view names. A text is kept for a day in any case: whoever pushes sends texts first and names them then, and
/// naming one makes it new again.
const TEXTS: &str = "DELETE FROM blob b USING (
         SELECT c.repo, c.hash FROM blob c
         WHERE c.repo >= $2 AND c.repo < $3 AND c.stored_at < now() - interval '1 day'
           AND NOT EXISTS (
               SELECT 1 FROM entry e
               WHERE e.repo >= $2 AND e.repo < $3 AND e.repo = c.repo AND e.hash = c.hash)
         LIMIT $1 FOR UPDATE OF c SKIP LOCKED) old
     WHERE b.repo = old.repo AND b.hash = old.hash";

impl Database {
    /// Sweeps once; returns how many rows went.
    pub async fn sweep(&self) -> Result<u64> {
        let mut swept = 0;
        for sql in SWEPT {
            swept += self.sweep_by(sql, &[]).await?;
        }
        let last: Option<i64> = sqlx::query_scalar("SELECT max(id) FROM repo").fetch_one(&self.pool).await?;
        let mut first = 0;
        while first <= last.unwrap_or(0) {
            let end = first + REPOS_AT_ONCE;
            swept += self.sweep_by(TEXTS, &[first, end]).await?;
            first = end;
        }
        Ok(swept)
    }

    /// Sweeps until there is nothing left of this, or it was enough for now.
    async fn sweep_by(&self, sql: &'static str, among: &[i64]) -> Result<u64> {
        let mut swept = 0;
        for _ in 0..TURNS {
            let mut tx = self.begin(Sees::All).await?;
            let query = among.iter().fold(sqlx::query(sql).bind(AT_ONCE), Query::bind);
            let gone = query.execute(&mut *tx).await?.rows_affected();
            tx.commit().await?;
            swept += gone;
            if gone < AT_ONCE.unsigned_abs() {
                break;
            }
        }
        Ok(swept)
    }
}
