//! Following what happens in the database: which repositories were pushed to, or spoken of, since the last look.
//!
//! A mark is a snapshot: which transactions had ended by then. What can be seen now and could not be seen then is news, all of it,
//! once and at once, however long others take. Numbers of rows would not do, because a transaction that began later may draw a
//! lower one and end later too; and waiting for the oldest transaction that still runs would let anybody's in the same cluster,
//! of whatever database, hold up everything.

use sqlx::{Postgres, Transaction};

use crate::database::{Database, Sees};
use crate::error::Result;

const NOW: &str =
    "SELECT pg_current_snapshot()::text, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

/// How far somebody has followed; everything before it has been told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) snapshot: String,
    /// When the server started, in microseconds. One that crashed may give out numbers of transactions again that were seen
    /// before, and never written down.
    pub(crate) started: i64,
}

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Pushes,
    /// Pushes, and what people said.
    Everything,
}

/// Where whoever begins to follow now begins.
pub(crate) async fn mark(database: &Database) -> Result<Mark> {
    let (snapshot, started) = sqlx::query_as(NOW).fetch_one(&database.pool).await?;
    Ok(Mark { snapshot, started })
}

/// The same, asked within a transaction.
pub(crate) async fn mark_in(tx: &mut Transaction<'static, Postgres>) -> Result<Mark> {
    let (snapshot, started) = sqlx::query_as(NOW).fetch_one(&mut **tx).await?;
    Ok(Mark { snapshot, started })
}

/// All repositories that have anything, whatever led to it, and how far that goes.
pub(crate) async fn everything(database: &Database) -> Result<(Vec<i64>, Mark)> {
    let up_to = mark(database).await?;
    let mut tx = database.begin(Sees::All).await?;
    let repos = sqlx::query_scalar("SELECT DISTINCT repo FROM view").fetch_all(&mut *tx).await?;
    Ok((repos, up_to))
}

/// The repositories in which something happened since, each once, and how far that goes. All of them where the database is
/// another one than it was, as after a crash, or after a backup was put back.
pub(crate) async fn since(database: &Database, last: &Mark, of: Of) -> Result<(Vec<i64>, Mark)> {
    let mut tx = database.begin(Sees::All).await?;
    // A transaction that had not ended by then either was among those that ran, or has begun since.
    let (snapshot, started, is_later, repos): (String, i64, bool, Vec<i64>) = sqlx::query_as(
        "SELECT pg_current_snapshot()::text, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
                pg_snapshot_xmax(pg_current_snapshot()) >= pg_snapshot_xmax($1::text::pg_snapshot),
                ARRAY(
                    SELECT k.repo FROM push_key k WHERE k.xid >= pg_snapshot_xmax($1::text::pg_snapshot)
                    UNION
                    SELECT k.repo FROM push_key k WHERE k.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot)))
                    UNION
                    SELECT e.repo FROM event e WHERE $2 AND e.xid >= pg_snapshot_xmax($1::text::pg_snapshot)
                    UNION
                    SELECT e.repo FROM event e
                    WHERE $2 AND e.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot))))",
    )
    .bind(&last.snapshot)
    .bind(of == Of::Everything)
    .fetch_one(&mut *tx)
    .await?;
    drop(tx);
    if !is_later || started != last.started {
        return everything(database).await;
    }
    Ok((repos, Mark { snapshot, started }))
}
