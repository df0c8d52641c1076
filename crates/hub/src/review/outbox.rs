//! What was decided here and belongs into git: everybody who has a checkout fetches it, and the next push brings it back.

use hewto_core::hub::{Outbox, OutboxRecord};

use crate::access::{Access, Right};
use crate::database::{Database, Sees};
use crate::error::Result;

/// Records about items, oldest first. Those that git has already are told too: another machine may not have them yet, and
/// learns from the hub alone that they are authentic.
pub(crate) async fn outbox(database: &Database, access: &Access, repo: &str) -> Result<Outbox> {
    let repo = access.repo(database, repo, Right::Read).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT uid, item, record FROM review WHERE repo = $1 AND at > now() - interval '90 days' ORDER BY uid DESC LIMIT 2000",
    )
    .bind(repo.id)
    .fetch_all(&mut *tx)
    .await?;
    let record = |(uid, item, text)| OutboxRecord { uid, item, text };
    Ok(Outbox { records: rows.into_iter().rev().map(record).collect() })
}
