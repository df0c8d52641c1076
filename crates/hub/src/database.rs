//! The database: connections, and for which repositories a transaction speaks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::hub::Reason;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Postgres, Transaction};

use crate::audit::ToldUpTo;
use crate::error::{Error, Result};
use crate::schema::SchemaState;
use crate::warm::WarmConnections;

/// How long a call waits for a connection.
const PATIENCE: Duration = Duration::from_secs(4);
/// A connection that was idle for longer is looked at before it is used, and what is known of a repository is asked again.
pub(crate) const FRESH: Duration = Duration::from_secs(1);
const MOST_CONNECTIONS: u32 = 16;
/// So many names of repositories are remembered.
const MOST_REPOS: usize = 10_000;

/// The database of the hub; clones share its connections.
#[derive(Debug, Clone)]
pub struct Database {
    pub(crate) pool: PgPool,
    pub(crate) schema: Arc<SchemaState>,
    /// Repositories by name, for a moment: a call asks for its own again and again.
    repos: Arc<Mutex<HashMap<String, (Instant, i64)>>>,
    warm: WarmConnections,
    /// How far the audit was told of pushes, as far as this process did it.
    pub(crate) told: ToldUpTo,
}

/// The repositories that a transaction may see.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sees<'r> {
    All,
    These(&'r [i64]),
}

impl Database {
    /// Reads the address of a database; reaches for it when it is first used.
    pub fn new(url: &str) -> Result<Self> {
        let is_ours = url.starts_with("postgres://") || url.starts_with("postgresql://");
        let options: PgConnectOptions = url.parse().ok().filter(|_| is_ours).ok_or_else(|| {
            Error::bad(Reason::InvalidDatabase, "this is not an address of a PostgreSQL database").hint(
                "write it as `postgres://USER@HOST/NAME`, or `postgres:///NAME?host=/var/run/postgresql`",
            )
        })?;
        let options = options.application_name("hewto-hub");
        let pool = PgPoolOptions::new()
            .max_connections(MOST_CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for > FRESH {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(Self {
            pool,
            schema: Arc::default(),
            repos: Arc::default(),
            warm: WarmConnections::default(),
            told: ToldUpTo::default(),
        })
    }

    /// The number of a repository, where there is one of this name.
    pub(crate) async fn repo_id(&self, name: &str) -> Result<Option<i64>> {
        let known = self.repos.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        if let Some((at, id)) = known
            && at.elapsed() < FRESH
        {
            return Ok(Some(id));
        }
        let id: Option<i64> = sqlx::query_scalar("SELECT id FROM repo WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.pool)
            .await?;
        let mut known = self.repos.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_REPOS {
            known.clear();
        }
        if let Some(id) = id {
            known.insert(name.to_owned(), (Instant::now(), id));
        }
        Ok(id)
    }

    /// A transaction that sees these repositories and no others.
    pub(crate) async fn begin(&self, sees: Sees<'_>) -> Result<Transaction<'static, Postgres>> {
        let repos = match sees {
            Sees::All => "*".to_owned(),
            Sees::These(ids) => ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        // In one round trip; nothing but digits and commas stands between the quotes.
        let begin = format!("BEGIN; SET LOCAL hewto.repos = '{repos}'");
        Ok(self.pool.begin_with(sqlx::AssertSqlSafe(begin)).await?)
    }

    /// A connection for one call that writes, the one that wrote last if it has just done so. Whoever has finished with it
    /// gives it to [`Database::keep_warm`]; dropping it is right too, and slower for the next one.
    pub(crate) async fn writer(&self) -> Result<PoolConnection<Postgres>> {
        match self.warm.take() {
            Some(connection) => Ok(connection),
            None => Ok(self.pool.acquire().await?),
        }
    }

    /// Keeps a connection at hand that has answered whole, unless somebody may be waiting for one.
    pub(crate) fn keep_warm(&self, connection: PoolConnection<Postgres>) {
        let is_enough = self.pool.num_idle() > 0 || self.pool.size() < MOST_CONNECTIONS;
        if is_enough && !self.pool.is_closed() {
            self.warm.put(connection);
        }
    }

    /// Returns when nobody has written by a connection of [`Database::writer`] for so long, or at last.
    pub(crate) async fn wait_for_quiet(&self, quiet: Duration, at_most: Duration) {
        let began = Instant::now();
        while let Some(since) = self.warm.idle_for()
            && since < quiet
            && began.elapsed() < at_most
        {
            tokio::time::sleep(quiet.saturating_sub(since)).await;
        }
    }

    /// Gives connections that nobody has written by for a while back to everybody.
    pub(crate) fn cool(&self) {
        self.warm.cool();
    }

    pub async fn close(&self) {
        self.warm.clear();
        self.pool.close().await;
    }
}
