//! What was decided here and belongs into git: everybody who has a checkout fetches it, and the next push brings it back.

use hewto_core::hub::{Outbox, OutboxRecord};
use hewto_core::review::Digest;

use crate::access::{Access, Right};
use crate::database::{Database, Sees};
use crate::error::Result;

/// Records of one page.
const PAGE: i64 = 500;

/// Records about items, oldest first, behind the one that is named. Those that git has already are told too, for a while:
/// another machine may not have them yet, and learns from the hub alone that they are authentic. `seen` is the mark of an
/// outbox that somebody has read to its end.
pub(crate) async fn outbox(
    database: &Database,
    access: &Access,
    repo: &str,
    after: Option<&str>,
    seen: Option<&str>,
) -> Result<Outbox> {
    let repo = access.repo(database, repo, Right::Read).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    let (count, last): (i64, Option<String>) =
        sqlx::query_as("SELECT count(*), max(uid) FROM review WHERE repo = $1")
            .bind(repo.id)
            .fetch_one(&mut *tx)
            .await?;
    let told = format!("{count} {}", last.unwrap_or_default());
    let mark = Digest::of(told.as_bytes()).short();
    if seen == Some(mark.as_str()) {
        return Ok(Outbox { mark, ..Outbox::default() });
    }
    let mut rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT uid, item, record FROM review
         WHERE repo = $1 AND uid > $2 AND (exported_at IS NULL OR at > now() - interval '90 days')
         ORDER BY uid LIMIT $3",
    )
    .bind(repo.id)
    .bind(after.unwrap_or_default())
    .bind(PAGE + 1)
    .fetch_all(&mut *tx)
    .await?;
    let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let has_more = rows.len() > page;
    rows.truncate(page);
    let next = rows.last().filter(|_| has_more).map(|row| row.0.clone());
    let record = |(uid, item, text)| OutboxRecord { uid, item, text };
    Ok(Outbox { records: rows.into_iter().map(record).collect(), next, mark })
}
