//! Taking away what nobody needs any more, a little at a time: a hub that runs for years stays as large as what is pushed.

use crate::database::{Database, Sees};
use crate::error::Result;

/// So many rows go in one transaction, and so many transactions in one sweep: nobody waits for it.
const AT_ONCE: i64 = 1_000;
const TURNS: usize = 50;

/// Old events and keys, texts that no view names, what was shown long ago. A text is kept for a day in any case: whoever pushes
/// sends texts first and names them then, and naming one makes it new again.
const SWEPT: [&str; 4] = [
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE at < now() - interval '2 days' LIMIT $1)",
    "DELETE FROM push_key WHERE (repo, principal, key) IN
         (SELECT repo, principal, key FROM push_key WHERE at < now() - interval '7 days' LIMIT $1)",
    "DELETE FROM blob b USING (
         SELECT c.repo, c.hash FROM blob c
         WHERE c.stored_at < now() - interval '1 day'
           AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.repo = c.repo AND e.hash = c.hash)
         LIMIT $1 FOR UPDATE OF c SKIP LOCKED) old
     WHERE b.repo = old.repo AND b.hash = old.hash",
    "DELETE FROM shown WHERE (repo, digest) IN
         (SELECT repo, digest FROM shown WHERE at < now() - interval '90 days' LIMIT $1)",
];

impl Database {
    /// Sweeps once; returns how many rows went.
    pub async fn sweep(&self) -> Result<u64> {
        let mut swept = 0;
        for sql in SWEPT {
            for _ in 0..TURNS {
                let mut tx = self.begin(Sees::All).await?;
                let gone = sqlx::query(sql).bind(AT_ONCE).execute(&mut *tx).await?.rows_affected();
                tx.commit().await?;
                swept += gone;
                if gone < AT_ONCE.unsigned_abs() {
                    break;
                }
            }
        }
        Ok(swept)
    }
}
