//! The claims under which something is pushed.

use hewto_core::hub::{PushRequest, Reason};
use sqlx::{Postgres, Transaction};

use super::signed;
use crate::error::{Error, Result};

/// Whoever lost a claim does not push what they did under it, nor under a number that is somebody else's or nobody's. An item that nobody has claimed
/// here says nothing: a hub that was filled anew knows no old claims.
pub(super) async fn refuse_lost_claims(
    tx: &mut Transaction<'static, Postgres>,
    repo: i64,
    principal: &str,
    request: &PushRequest,
) -> Result<()> {
    if request.claims.is_empty() {
        return Ok(());
    }
    let items: Vec<&str> = request.claims.iter().map(|claim| claim.item.as_str()).collect();
    let fences: Vec<i64> = request.claims.iter().map(|claim| signed(claim.fence)).collect();
    let lost: Option<(String, i64, String)> = sqlx::query_as(
        "SELECT l.item, l.fence, l.principal FROM lease l
         JOIN unnest($2::text[], $3::bigint[]) AS c (item, fence) ON c.item = l.item
         WHERE l.repo = $1 AND l.fence > 0 AND (l.fence <> c.fence OR l.principal <> $4) LIMIT 1",
    )
    .bind(repo)
    .bind(items)
    .bind(fences)
    .bind(principal)
    .fetch_optional(&mut **tx)
    .await?;
    let Some((item, fence, holder)) = lost else { return Ok(()) };
    tracing::info!(item, fence, principal, "a push under a lost claim was refused");
    Err(Error::conflict(
        Reason::ClaimLost,
        format!("the claim on `{item}` is not yours: it was given to `{holder}`, as claim {fence}"),
    )
    .detail("item", item)
    .detail("fence", fence)
    .detail("holder", holder)
    .hint("stop, look at what has been done since, and claim it again"))
}
