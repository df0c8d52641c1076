//! Writing the rows of calls that changed nothing, together and behind them.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::{Crowd, Row, SEVERAL};
use crate::database::Database;
use crate::error::Result;

const ROWS_AT_ONCE: usize = 500;
/// Rows that may wait to be written.
const MOST_WAITING: usize = 20_000;
/// Rows wait for each other for so long.
const GATHER: Duration = Duration::from_millis(100);
/// A crowd has a row in so long.
const CROWD: Duration = Duration::from_secs(1);
/// So long the database is waited for when the hub ends.
const LAST: Duration = Duration::from_secs(5);

/// Takes rows from calls, which never wait for it.
#[derive(Debug)]
pub(crate) struct Gatherer {
    rows: mpsc::Sender<Row>,
    /// Calls of whoever came without a token that counts.
    strangers: Crowd,
    /// Calls for which no place was left.
    crowded_out: Crowd,
}

impl Gatherer {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Row>) {
        let (rows, waiting) = mpsc::channel(MOST_WAITING);
        let strangers = Crowd::new(hewto_http::ANONYMOUS, "anonymous");
        (Self { rows, strangers, crowded_out: Crowd::new(SEVERAL, "not_noted") }, waiting)
    }

    /// Notes a call of somebody.
    pub(crate) fn note(&self, row: &Row) {
        if let Err(refused) = self.rows.try_send(row.storable()) {
            self.crowded_out.count_row(&refused.into_inner());
        }
    }

    /// Counts a call of nobody in particular.
    pub(crate) fn count(&self, outcome: &str, path: &str) {
        self.strangers.count(outcome, path);
    }

    /// Writes rows until `stop`, and then all that are left.
    pub(crate) async fn write(
        &self,
        database: Database,
        mut rows: mpsc::Receiver<Row>,
        stop: CancellationToken,
    ) {
        let mut crowd = interval(CROWD);
        crowd.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waiting = Vec::new();
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = rows.recv_many(&mut waiting, ROWS_AT_ONCE) => {
                    // Those who come in the same moment are written together.
                    tokio::select! { () = stop.cancelled() => {}, () = sleep(GATHER) => {} }
                    while waiting.len() < ROWS_AT_ONCE {
                        let Ok(row) = rows.try_recv() else { break };
                        waiting.push(row);
                    }
                }
                _ = crowd.tick() => waiting.extend(self.crowds()),
            }
            let mut pause = GATHER;
            while let Err(error) = insert(&database, &waiting).await {
                tracing::warn!(%error, rows = waiting.len(), "the audit cannot be written; trying again");
                tokio::select! { () = stop.cancelled() => {}, () = sleep(pause) => {} }
                if stop.is_cancelled() {
                    return self.write_last(&database, rows, waiting).await;
                }
                pause = (pause * 2).min(LAST);
            }
            waiting.clear();
        }
        self.write_last(&database, rows, waiting).await;
    }

    /// Everything that is left when nobody calls any more.
    async fn write_last(&self, database: &Database, mut rows: mpsc::Receiver<Row>, mut waiting: Vec<Row>) {
        let end = Instant::now() + LAST;
        rows.close();
        while let Ok(row) = rows.try_recv() {
            waiting.push(row);
        }
        waiting.extend(self.crowds());
        for rows in waiting.chunks(ROWS_AT_ONCE) {
            while let Err(error) = insert(database, rows).await {
                if Instant::now() >= end {
                    tracing::error!(%error, rows = waiting.len(), "the hub ends, and calls are not in the audit");
                    return;
                }
                sleep(GATHER).await;
            }
        }
    }

    fn crowds(&self) -> impl Iterator<Item = Row> {
        [self.strangers.take(), self.crowded_out.take()].into_iter().flatten().map(|row| row.storable())
    }
}

async fn insert(database: &Database, rows: &[Row]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let column = |part: fn(&Row) -> &String| rows.iter().map(part).cloned().collect::<Vec<String>>();
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
