//! The database: connections, the schema, and for which repositories a transaction speaks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::hub::Reason;
use hewto_http::hyper::StatusCode;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Postgres, SqlSafeStr as _, Transaction};

use crate::error::{Error, Result};
use crate::warm::WarmConnections;

/// The oldest version of PostgreSQL that the hub works with.
const OLDEST: i32 = 150_000;
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
    /// Whether the schema has been seen to be ours.
    checked: Arc<AtomicBool>,
    /// Repositories by name, for a moment: a call asks for its own again and again.
    repos: Arc<Mutex<HashMap<String, (Instant, i64)>>>,
    warm: WarmConnections,
}

/// The repositories that a transaction may see.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sees<'r> {
    All,
    These(&'r [i64]),
}

fn migrator() -> Migrator {
    let migration = |version, about: &'static str, sql: &'static str| {
        Migration::new(version, about.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(vec![
        migration(1, "hub", include_str!("../migrations/0001_hub.sql")),
        migration(2, "fence", include_str!("../migrations/0002_fence.sql")),
        migration(3, "claims", include_str!("../migrations/0003_claims.sql")),
        migration(4, "push", include_str!("../migrations/0004_push.sql")),
        migration(5, "push_once", include_str!("../migrations/0005_push_once.sql")),
        migration(6, "push_together", include_str!("../migrations/0006_push_together.sql")),
        migration(7, "push_light", include_str!("../migrations/0007_push_light.sql")),
    ])
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
        Ok(Self { pool, checked: Arc::default(), repos: Arc::default(), warm: WarmConnections::default() })
    }

    /// Brings the schema to what this version needs; refuses one that another version made.
    pub async fn migrate(&self) -> Result<()> {
        let version: String = sqlx::query_scalar("SHOW server_version_num").fetch_one(&self.pool).await?;
        if version.parse::<i32>().unwrap_or(0) < OLDEST {
            return Err(Error::new(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::SchemaMismatch,
                format!("PostgreSQL 15 or newer is needed, and this one says {version}"),
            )
            .hint("move the database to a newer PostgreSQL"));
        }
        migrator().run(&self.pool).await.map_err(schema_mismatch)?;
        crate::audit::ensure_partitions(self).await?;
        self.checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the database answers and the schema is ours.
    pub async fn ready(&self) -> Result<()> {
        let known: Option<i64> =
            sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations WHERE success")
                .fetch_one(&self.pool)
                .await
                .map_err(|error| match error {
                    sqlx::Error::Database(_) if !self.is_checked() => not_migrated(),
                    other => other.into(),
                })?;
        let ours = migrator().iter().map(|one| one.version).max();
        if known > ours {
            self.checked.store(false, Ordering::Relaxed);
            return Err(newer());
        }
        if known == ours && self.is_checked() { Ok(()) } else { Err(not_migrated()) }
    }

    /// Whether calls may be answered.
    pub(crate) fn is_checked(&self) -> bool {
        self.checked.load(Ordering::Relaxed)
    }

    /// Whether the second fence holds for the user that the hub connects as.
    pub(crate) async fn is_fenced(&self) -> Result<bool> {
        let sql = "SELECT NOT (rolsuper OR rolbypassrls) FROM pg_roles WHERE rolname = current_user";
        Ok(sqlx::query_scalar(sql).fetch_one(&self.pool).await?)
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

    /// Gives connections that nobody has written by for a while back to everybody.
    pub(crate) fn cool(&self) {
        self.warm.cool();
    }

    pub async fn close(&self) {
        self.warm.clear();
        self.pool.close().await;
    }
}

fn not_migrated() -> Error {
    Error::new(
        StatusCode::SERVICE_UNAVAILABLE,
        Reason::SchemaMismatch,
        "the database has no schema of this version yet",
    )
    .hint("start `hewto hub serve` with a user that may create tables")
}

fn newer() -> Error {
    Error::new(
        StatusCode::SERVICE_UNAVAILABLE,
        Reason::SchemaMismatch,
        "the database was made by a newer version of hewto",
    )
    .hint("bring this replica to that version; the schema only goes forward")
}

fn schema_mismatch(error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(error) => error.into(),
        MigrateError::VersionMissing(_) => newer(),
        MigrateError::VersionMismatch(version) => Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            Reason::SchemaMismatch,
            format!("migration {version} of the database is not the one that this version knows"),
        )
        .hint("use the version of hewto that made it, or an empty database; pushes fill it again"),
        other => Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            Reason::SchemaMismatch,
            format!("the schema cannot be brought up to date: {other}"),
        )
        .hint("give the hub a database of its own, and a user that may create tables in it"),
    }
}
