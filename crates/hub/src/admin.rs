//! What an administrator does beside the server: tokens, grants, and repositories by name.

mod name;

use hewto_core::hub::{Reason, is_repo_name};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use self::name::{check_name, check_no_subject, check_subject};
use crate::access::Role;
use crate::audit;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};

/// Which repositories something is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepoChoice {
    All,
    These(Vec<String>),
}

/// A token that is wanted.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Whose it is.
    pub name: String,
    pub role: Role,
    pub repos: RepoChoice,
    /// For so many days; for ever when absent.
    pub days: Option<u32>,
    /// Who makes it, for the audit.
    pub by: String,
}

/// What somebody whom an issuer knows may do.
#[derive(Debug, Clone)]
pub struct NewGrant {
    pub name: String,
    pub role: Role,
    pub repos: RepoChoice,
    pub by: String,
}

/// Something that is granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantRow {
    pub name: String,
    pub role: String,
    /// Absent for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A token that was made. The text is nowhere else.
#[derive(Debug, Clone, Serialize)]
pub struct TokenMade {
    pub id: i64,
    pub name: String,
    pub role: String,
    pub repos: Vec<String>,
    pub expires_at: Option<String>,
    pub token: String,
}

/// A token as it is listed.
#[derive(Debug, Clone, Serialize)]
pub struct TokenRow {
    pub id: i64,
    pub name: String,
    pub role: String,
    /// Empty for all of them.
    pub repos: Vec<String>,
    pub all_repos: bool,
    pub created_at: String,
    pub expires_at: Option<String>,
    pub revoked_at: Option<String>,
}

impl Database {
    pub async fn create_token(&self, new: &NewToken) -> Result<TokenMade> {
        check_name(&new.name)?;
        check_no_subject(&new.name)?;
        let repos = self.make_repos(&new.repos).await?;
        let token = format!("hewto_{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let mut tx = self.begin(Sees::All).await?;
        let principal = make_principal(&mut tx, &new.name).await?;
        let (id, expires_at): (i64, Option<String>) = sqlx::query_as(
            "INSERT INTO token (principal, digest, role, all_repos, expires_at)
             VALUES ($1, $2, $3, $4, now() + make_interval(days => $5))
             RETURNING id, to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
        )
        .bind(principal)
        .bind(&digest[..])
        .bind(new.role.as_str())
        .bind(new.repos == RepoChoice::All)
        .bind(new.days.map(|days| i32::try_from(days).unwrap_or(i32::MAX)))
        .fetch_one(&mut *tx)
        .await?;
        sqlx::query("INSERT INTO token_repo SELECT $1, unnest($2::bigint[])")
            .bind(id)
            .bind(&repos)
            .execute(&mut *tx)
            .await?;
        let names = match &new.repos {
            RepoChoice::All => Vec::new(),
            RepoChoice::These(names) => names.clone(),
        };
        let detail = format!("token {id} for {}, {}, {}", new.name, new.role, shown(&new.repos));
        audit::note(&mut tx, &audit::Row::new(&new.by, "", "token_create", detail)).await?;
        tx.commit().await?;
        let role = new.role.to_string();
        Ok(TokenMade { id, name: new.name.clone(), role, repos: names, expires_at, token })
    }

    pub async fn list_tokens(&self) -> Result<Vec<TokenRow>> {
        type Row = (i64, String, String, bool, String, Option<String>, Option<String>, Vec<String>);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT t.id, p.name, t.role, t.all_repos,
                    to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
                    to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
                    to_char(t.revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
                    ARRAY(SELECT r.name FROM token_repo x JOIN repo r ON r.id = x.repo WHERE x.token = t.id ORDER BY 1)
             FROM token t JOIN principal p ON p.id = t.principal ORDER BY t.id",
        )
        .fetch_all(&self.pool)
        .await?;
        let row = |(id, name, role, all_repos, created_at, expires_at, revoked_at, repos)| TokenRow {
            id,
            name,
            role,
            repos,
            all_repos,
            created_at,
            expires_at,
            revoked_at,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Ends a token; replicas forget it within two seconds.
    pub async fn revoke_token(&self, id: i64, by: &str) -> Result<()> {
        let mut tx = self.begin(Sees::All).await?;
        let ended = sqlx::query("UPDATE token SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL")
            .bind(id)
            .execute(&mut *tx)
            .await?;
        if ended.rows_affected() == 0 {
            return Err(Error::conflict(
                Reason::TokenNotFound,
                format!("no token that counts has the number {id}"),
            )
            .hint("see them with `hewto hub token list`"));
        }
        audit::note(&mut tx, &audit::Row::new(by, "", "token_revoke", format!("token {id}"))).await?;
        Ok(tx.commit().await?)
    }

    /// Says what somebody may do who comes with a token of an OAuth issuer; what was granted before is replaced.
    pub async fn grant(&self, new: &NewGrant) -> Result<()> {
        check_name(&new.name)?;
        check_subject(&new.name)?;
        let repos = self.make_repos(&new.repos).await?;
        let mut tx = self.begin(Sees::All).await?;
        let principal = make_principal(&mut tx, &new.name).await?;
        let wanted: Vec<Option<i64>> = match new.repos {
            RepoChoice::All => vec![None],
            RepoChoice::These(_) => repos.into_iter().map(Some).collect(),
        };
        for repo in wanted {
            sqlx::query(
                "INSERT INTO access_grant (principal, repo, role) VALUES ($1, $2, $3)
                 ON CONFLICT (principal, coalesce(repo, 0)) DO UPDATE SET role = excluded.role",
            )
            .bind(principal)
            .bind(repo)
            .bind(new.role.as_str())
            .execute(&mut *tx)
            .await?;
        }
        let detail = format!("{} is {} in {}", new.name, new.role, shown(&new.repos));
        audit::note(&mut tx, &audit::Row::new(&new.by, "", "grant", detail)).await?;
        Ok(tx.commit().await?)
    }

    /// Takes back what was granted to somebody: in these repositories, or everywhere. The next call of theirs finds it gone.
    pub async fn revoke_grant(&self, name: &str, repos: &RepoChoice, by: &str) -> Result<()> {
        let names: Option<&[String]> = match repos {
            RepoChoice::All => None,
            RepoChoice::These(names) => Some(names),
        };
        let mut tx = self.begin(Sees::All).await?;
        let ended = sqlx::query(
            "DELETE FROM access_grant g USING principal p WHERE p.id = g.principal AND p.name = $1
             AND ($2::text[] IS NULL OR g.repo IN (SELECT r.id FROM repo r WHERE r.name = ANY ($2)))",
        )
        .bind(name)
        .bind(names)
        .execute(&mut *tx)
        .await?;
        if ended.rows_affected() == 0 {
            let place = if names.is_some() { " by name there" } else { "" };
            return Err(Error::conflict(
                Reason::GrantNotFound,
                format!("nothing is granted to `{}`{place}", name.escape_debug()),
            )
            .hint("see what is granted with `hewto hub grant --list`"));
        }
        let detail = format!("{name} is nothing any more in {}", shown(repos));
        audit::note(&mut tx, &audit::Row::new(by, "", "grant_revoke", detail)).await?;
        Ok(tx.commit().await?)
    }

    /// What is granted to whom.
    pub async fn list_grants(&self) -> Result<Vec<GrantRow>> {
        let rows: Vec<(String, String, Option<String>)> = sqlx::query_as(
            "SELECT p.name, g.role, r.name FROM access_grant g JOIN principal p ON p.id = g.principal
             LEFT JOIN repo r ON r.id = g.repo ORDER BY 1, 3",
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(name, role, repo)| GrantRow { name, role, repo }).collect())
    }

    async fn make_repos(&self, choice: &RepoChoice) -> Result<Vec<i64>> {
        let RepoChoice::These(names) = choice else { return Ok(Vec::new()) };
        if names.is_empty() {
            return Err(Error::bad(Reason::NoRepository, "this is bound to no repository")
                .hint("name repositories with `--repo NAME`, or say `--all-repos`"));
        }
        let mut ids = Vec::with_capacity(names.len());
        for name in names {
            ids.push(make_repo(self, name).await?);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }
}

/// The number of a repository, which is there from now on.
pub(crate) async fn make_repo(database: &Database, name: &str) -> Result<i64> {
    if !is_repo_name(name) {
        return Err(Error::bad(
            Reason::InvalidRepo,
            format!("`{}` is not a name of a repository", name.escape_debug()),
        )
        .hint("use letters, digits and `-`, `_`, `.`, with `/` between parts"));
    }
    sqlx::query("INSERT INTO repo (name) VALUES ($1) ON CONFLICT DO NOTHING")
        .bind(name)
        .execute(&database.pool)
        .await?;
    Ok(sqlx::query_scalar("SELECT id FROM repo WHERE name = $1").bind(name).fetch_one(&database.pool).await?)
}

async fn make_principal(tx: &mut sqlx::Transaction<'static, sqlx::Postgres>, name: &str) -> Result<i64> {
    sqlx::query("INSERT INTO principal (name) VALUES ($1) ON CONFLICT DO NOTHING")
        .bind(name)
        .execute(&mut **tx)
        .await?;
    Ok(sqlx::query_scalar("SELECT id FROM principal WHERE name = $1").bind(name).fetch_one(&mut **tx).await?)
}

fn shown(repos: &RepoChoice) -> String {
    match repos {
        RepoChoice::All => "all repositories".to_owned(),
        RepoChoice::These(names) => names.join(", "),
    }
}
