//! Who a token belongs to: looked up by its digest, remembered for a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_http::{Authenticator, BoxFuture, Principal, Scope, TokenFault};
use sha2::{Digest as _, Sha256};

use crate::access::{Access, Granted, Role};
use crate::database::Database;
use crate::error::{Error, Result};

/// So long after it was revoked a token may still be believed by a replica.
const REMEMBERED: Duration = Duration::from_secs(2);
const MOST_REMEMBERED: usize = 10_000;

/// Who was found by a digest, and when.
type Known = HashMap<[u8; 32], (Instant, Arc<Access>)>;

/// Knows people by tokens, and by the names that an issuer gives them.
#[derive(Debug)]
pub(crate) struct Directory {
    database: Database,
    by_digest: Mutex<Known>,
}

impl Directory {
    pub(crate) fn new(database: Database) -> Self {
        Self { database, by_digest: Mutex::default() }
    }

    /// Whose token this is; `None` when it is nobody's, has expired or was revoked.
    pub(crate) async fn by_token(&self, token: &[u8]) -> Result<Option<Arc<Access>>> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        if let Some(access) = self.remembered(&digest) {
            return Ok(Some(access));
        }
        let row: Option<(i64, i64, String, String, bool)> = sqlx::query_as(
            "SELECT t.id, p.id, p.name, t.role, t.all_repos FROM token t JOIN principal p ON p.id = t.principal
             WHERE t.digest = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())",
        )
        .bind(&digest[..])
        .fetch_optional(&self.database.pool)
        .await?;
        let Some((token, principal, name, role, all)) = row else { return Ok(None) };
        let role = Role::named(&role).unwrap_or(Role::Reader);
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "SELECT r.id, r.name FROM token_repo t JOIN repo r ON r.id = t.repo WHERE t.token = $1 ORDER BY r.name",
        )
        .bind(token)
        .fetch_all(&self.database.pool)
        .await?;
        let repos = rows.into_iter().map(|(id, name)| Granted { id, name, role }).collect();
        let access = Arc::new(Access { principal, name, everywhere: all.then_some(role), repos });
        let mut known = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(digest, (Instant::now(), Arc::clone(&access)));
        Ok(Some(access))
    }

    /// What was granted to somebody whom an issuer vouches for.
    pub(crate) async fn by_name(&self, principal: &Principal) -> Result<Access> {
        type Row = (i64, Option<i64>, Option<String>, String);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT p.id, r.id, r.name, g.role FROM principal p JOIN access_grant g ON g.principal = p.id
             LEFT JOIN repo r ON r.id = g.repo WHERE p.name = $1 ORDER BY r.name",
        )
        .bind(&principal.name)
        .fetch_all(&self.database.pool)
        .await?;
        let id = rows.first().map(|row| row.0).ok_or_else(Error::no_repo)?;
        let mut access =
            Access { principal: id, name: principal.name.clone(), everywhere: None, repos: Vec::new() };
        for (_, repo, name, role) in rows {
            // The token's scopes bound what the grant allows.
            let Some(role) = Role::named(&role).and_then(|role| role.within(|scope| principal.may(scope)))
            else {
                continue;
            };
            match repo.zip(name) {
                Some((id, name)) => access.repos.push(Granted { id, name, role }),
                None => access.everywhere = Some(role),
            }
        }
        Ok(access)
    }

    fn remembered(&self, digest: &[u8; 32]) -> Option<Arc<Access>> {
        let known = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, access) = known.get(digest)?;
        (at.elapsed() < REMEMBERED).then(|| Arc::clone(access))
    }
}

/// Lets the server ask the directory.
#[derive(Debug)]
pub(crate) struct HubTokens(pub(crate) Arc<Directory>);

impl Authenticator for HubTokens {
    fn identify<'a>(&'a self, token: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>> {
        Box::pin(async move {
            match self.0.by_token(token).await {
                Ok(Some(access)) => {
                    let role = access.everywhere.or(access.repos.first().map(|one| one.role));
                    let mut scopes = role.map(Role::scopes).unwrap_or_default();
                    // Whoever looks after some repositories does not look after the hub.
                    if access.everywhere.is_none() {
                        scopes.retain(|scope| *scope != Scope::Admin);
                    }
                    Ok(Arc::new(Principal::new(access.name.clone(), scopes)))
                }
                Ok(None) => Err(TokenFault::Unknown),
                Err(error) => {
                    tracing::warn!(%error, "cannot look up a token");
                    Err(TokenFault::Unavailable)
                }
            }
        })
    }
}

/// Who reads the figures with a token that opens nothing else.
pub(crate) const FIGURES: &str = "metrics";

/// A token for `/metrics` alone, so that what collects figures needs no token of an administrator.
#[derive(Debug)]
pub(crate) struct FiguresToken {
    digest: [u8; 32],
    principal: Arc<Principal>,
}

impl FiguresToken {
    pub(crate) fn new(token: &str) -> Self {
        let digest = Sha256::digest(token.as_bytes()).into();
        Self { digest, principal: Arc::new(Principal::new(FIGURES, Vec::new())) }
    }
}

impl Authenticator for FiguresToken {
    fn identify<'a>(&'a self, token: &'a [u8]) -> BoxFuture<'a, Result<Arc<Principal>, TokenFault>> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let known = (digest == self.digest).then(|| Arc::clone(&self.principal));
        Box::pin(std::future::ready(known.ok_or(TokenFault::Unknown)))
    }
}
