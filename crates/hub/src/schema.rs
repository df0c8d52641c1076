//! The schema: bringing it to what this version needs, and noticing when it is something else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use hewto_core::hub::Reason;
use hewto_http::hyper::StatusCode;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use crate::database::Database;
use crate::error::{Error, Result};

/// The oldest version of PostgreSQL that the hub works with.
const OLDEST: i32 = 150_000;
/// What PostgreSQL says of a table that is not there.
const NO_TABLE: &str = "42P01";

/// What is known of the schema.
#[derive(Debug, Default)]
pub(crate) struct SchemaState {
    /// Whether this process has brought it up to date, or found it so.
    is_migrated: AtomicBool,
    /// Whether it was ours, or one that we work with, when it was last looked at.
    fits: AtomicBool,
    /// Whether users are let in for whom row-level security does not hold.
    allows_superuser: AtomicBool,
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
        migration(8, "push_document", include_str!("../migrations/0008_push_document.sql")),
        migration(9, "push_told_later", include_str!("../migrations/0009_push_told_later.sql")),
        migration(10, "push_bounds", include_str!("../migrations/0010_push_bounds.sql")),
    ])
}

impl Database {
    /// Lets the hub connect as a user for whom row-level security does not hold. The checks that stand in the policies do not
    /// hold then either.
    pub fn allow_superuser(&self) {
        self.schema.allows_superuser.store(true, Ordering::Relaxed);
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
        // Before anything is made: tables that a superuser makes are nobody else's.
        self.refuse_superuser().await?;
        migrator().run(&self.pool).await.map_err(schema_mismatch)?;
        crate::audit::ensure_partitions(self).await?;
        self.schema.is_migrated.store(true, Ordering::Relaxed);
        self.schema.fits.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Grants, and much of what rows may hold, are policies of the tables; for some users there are none.
    async fn refuse_superuser(&self) -> Result<()> {
        let sql = "SELECT rolname::text, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
        let (name, is_free): (String, bool) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        if !is_free {
            return Ok(());
        }
        if self.schema.allows_superuser.load(Ordering::Relaxed) {
            tracing::warn!(
                user = name,
                "row-level security does not hold for the user that the hub connects as"
            );
            return Ok(());
        }
        Err(Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            Reason::DatabaseRefused,
            format!("row-level security does not hold for the database user `{name}`, so nothing would keep repositories apart if the hub erred"),
        )
        .hint("give the hub a user of its own (`createuser hub`, `createdb --owner hub hub`), or say `--allow-superuser`"))
    }

    /// Whether the database answers, and the schema is ours or one that this version works with. What is found is remembered for
    /// the calls that follow, so a replica stops answering, and begins again, as the schema goes and comes.
    pub async fn ready(&self) -> Result<()> {
        let fits = self.look_at_schema().await;
        match &fits {
            // A database that is away says nothing about its schema.
            Err(error) if error.reason != Reason::SchemaMismatch => {}
            _ => {
                let was = self.schema.fits.swap(fits.is_ok(), Ordering::Relaxed);
                match (was, &fits) {
                    (true, Err(error)) => {
                        tracing::error!("{}; nothing is answered until that changes", error.message);
                    }
                    (false, Ok(())) => tracing::info!("the schema is one that this version works with again"),
                    _ => {}
                }
            }
        }
        fits
    }

    async fn look_at_schema(&self) -> Result<()> {
        if !self.schema.is_migrated.load(Ordering::Relaxed) {
            return Err(not_migrated());
        }
        let absent = |error: sqlx::Error| match error {
            sqlx::Error::Database(error) if error.code().as_deref() == Some(NO_TABLE) => not_migrated(),
            other => other.into(),
        };
        let rows: Vec<(i64, Vec<u8>, Option<i64>)> = sqlx::query_as(
            "SELECT m.version, m.checksum, r.oldest FROM _sqlx_migrations m
             LEFT JOIN schema_reach r ON r.version = m.version WHERE m.success",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(absent)?;
        let known: HashMap<i64, &[u8]> = rows.iter().map(|(version, sum, _)| (*version, &sum[..])).collect();
        let mut ours = 0;
        for one in migrator().iter() {
            ours = ours.max(one.version);
            match known.get(&one.version) {
                None => return Err(not_migrated()),
                Some(sum) if **sum != *one.checksum => return Err(another(one.version)),
                Some(_) => {}
            }
        }
        // What came later says for whom it is: whoever knows less than that would miss or spoil something.
        let is_for_us = |oldest: &Option<i64>| oldest.is_some_and(|oldest| oldest <= ours);
        let mut later = rows.iter().filter(|(version, _, _)| *version > ours);
        if later.all(|(_, _, oldest)| is_for_us(oldest)) { Ok(()) } else { Err(newer()) }
    }

    /// Whether calls may be answered.
    pub(crate) fn is_checked(&self) -> bool {
        self.schema.fits.load(Ordering::Relaxed)
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

fn another(version: i64) -> Error {
    Error::new(
        StatusCode::SERVICE_UNAVAILABLE,
        Reason::SchemaMismatch,
        format!("migration {version} of the database is not the one that this version knows"),
    )
    .hint("use the version of hewto that made it, or an empty database; pushes fill it again")
}

fn schema_mismatch(error: MigrateError) -> Error {
    match error {
        MigrateError::Execute(error) => error.into(),
        MigrateError::VersionMissing(_) => newer(),
        MigrateError::VersionMismatch(version) => another(version),
        other => Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            Reason::SchemaMismatch,
            format!("the schema cannot be brought up to date: {other}"),
        )
        .hint("give the hub a database of its own, and a user that may create tables in it"),
    }
}
