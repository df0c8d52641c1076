//! Leases: who works on what, among machines that share no disk.
//!
//! One statement takes the first free item, by the clock of the database, with a number that only grows. Whoever is locked by
//! somebody else at that moment is passed over, so nobody waits. The numbers are the safety; the clock only decides when
//! somebody else may take over.

use std::collections::BTreeSet;

use hewto_core::hub::{ClaimAsk, ClaimKeep, Lease, Reason};
use serde_json::json;
use sqlx::{Postgres, Transaction};

use crate::access::{Access, Granted, Right};
use crate::audit;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};

/// What parts a step from its item.
const STEP: char = '\\';
/// The highest number given without the hub that is believed.
const MAX_AFTER: i64 = 1 << 40;

type Row = (String, i64, String, String, String, Option<String>, i64, bool, Option<String>);

const COLUMNS: &str = "item, fence, principal, session, worktree, branch,
    greatest(0, extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint, released, note";

/// Gives the caller the first of these that is free.
pub(crate) async fn claim(database: &Database, access: &Access, ask: &ClaimAsk) -> Result<Lease> {
    ask.check()?;
    let repo = access.repo(database, &ask.repo, Right::Claim).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    prepare(&mut tx, &repo, ask).await?;
    let taken = match ask.items[..] {
        [ref step] if step.contains(STEP) => take_step(&mut tx, &repo, access, ask, step).await?,
        _ => take_item(&mut tx, &repo, access, ask).await?,
    };
    let Some(row) = taken else {
        let held = held(&mut tx, &repo).await?;
        let error = match ask.items.len() {
            1 => Error::conflict(Reason::Claimed, format!("somebody else works on `{}`", ask.items[0])),
            _ => Error::conflict(
                Reason::NothingReady,
                match held.len() {
                    1 => "nothing is ready and free; 1 claim is held".to_owned(),
                    n => format!("nothing is ready and free; {n} claims are held"),
                },
            ),
        };
        return Err(error
            .detail("holders", json!(held))
            .hint("wait for one to end, or look at what blocks the rest"));
    };
    tx.commit().await?;
    Ok(lease(&repo, row))
}

/// Makes sure that there is a row for each, and a sequence of numbers for the repository.
async fn prepare(tx: &mut Transaction<'static, Postgres>, repo: &Granted, ask: &ClaimAsk) -> Result<()> {
    let roots = ask.items.iter().filter_map(|item| item.split_once(STEP)).map(|(root, _)| root.to_owned());
    let rows: BTreeSet<String> = ask.items.iter().cloned().chain(roots).collect();
    let rows: Vec<String> = rows.into_iter().collect();
    // Beyond this, numbers are not exact in every client; nobody raises a counter that far.
    let after = i64::try_from(ask.after).unwrap_or(0).min(MAX_AFTER);
    sqlx::query("SELECT prepare_claims($1, $2, $3)")
        .bind(repo.id)
        .bind(rows)
        .bind(after)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn take_item(
    tx: &mut Transaction<'static, Postgres>,
    repo: &Granted,
    access: &Access,
    ask: &ClaimAsk,
) -> Result<Option<Row>> {
    // Whoever holds it already keeps their number. A new one is above all of the repository, given with the hub or without:
    // it is drawn when the row is locked, so the numbers of an item only grow, and nobody waits for another item's.
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(format!(
        "WITH free AS (
             SELECT l.item AS chosen, l.fence AS kept,
                    l.principal = $3 AND l.session = $4 AND l.worktree = $5 AND NOT l.released
                        AND l.expires_at > clock_timestamp() AS own
             FROM lease l JOIN unnest($2::text[]) WITH ORDINALITY AS w (item, place) ON w.item = l.item
             WHERE l.repo = $1
               AND (l.released OR l.expires_at <= clock_timestamp()
                    OR (l.principal = $3 AND l.session = $4 AND l.worktree = $5))
               AND l.steps_until <= clock_timestamp()
             ORDER BY w.place LIMIT 1 FOR UPDATE OF l SKIP LOCKED),
         taken AS (
             UPDATE lease SET principal = $3, session = $4, worktree = $5, branch = $6, released = false, note = NULL,
                 fence = CASE WHEN own THEN kept ELSE nextval(('fence_of_' || $1)::regclass) END,
                 since = CASE WHEN own THEN since ELSE clock_timestamp() END,
                 expires_at = clock_timestamp() + make_interval(secs => $7)
             FROM free WHERE repo = $1 AND item = chosen
             RETURNING {COLUMNS}),
         noted AS (
             INSERT INTO audit (principal, repo, op, outcome, detail)
             SELECT $3, $8, 'claim', 'ok', item || ' with number ' || fence FROM taken)
         SELECT * FROM taken"
    )))
    .bind(repo.id)
    .bind(&ask.items)
    .bind(&access.name)
    .bind(&ask.session)
    .bind(&ask.worktree)
    .bind(&ask.branch)
    .bind(f64::from(ask.lease_s))
    .bind(&repo.name)
    .fetch_optional(&mut **tx)
    .await?)
}

/// A step is taken under the lock of its item, which remembers until when steps are held.
async fn take_step(
    tx: &mut Transaction<'static, Postgres>,
    repo: &Granted,
    access: &Access,
    ask: &ClaimAsk,
    step: &str,
) -> Result<Option<Row>> {
    let root = step.split_once(STEP).map_or(step, |(root, _)| root);
    let free: Option<bool> = sqlx::query_scalar(
        "SELECT released OR expires_at <= clock_timestamp()
                OR (principal = $3 AND session = $4 AND worktree = $5)
         FROM lease WHERE repo = $1 AND item = $2 FOR UPDATE",
    )
    .bind(repo.id)
    .bind(root)
    .bind(&access.name)
    .bind(&ask.session)
    .bind(&ask.worktree)
    .fetch_optional(&mut **tx)
    .await?;
    if free != Some(true) {
        return Ok(None);
    }
    let taken = take_item(tx, repo, access, ask).await?;
    if taken.is_some() {
        recount_steps(tx, repo, root).await?;
    }
    Ok(taken)
}

async fn recount_steps(tx: &mut Transaction<'static, Postgres>, repo: &Granted, root: &str) -> Result<()> {
    sqlx::query(
        "UPDATE lease SET steps_until = coalesce(
             (SELECT max(s.expires_at) FROM lease s
              WHERE s.repo = $1 AND starts_with(s.item, $2 || '\\') AND NOT s.released), '-infinity')
         WHERE repo = $1 AND item = $2",
    )
    .bind(repo.id)
    .bind(root)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Renews a lease, or gives it back. A number that is not the last one given is refused, however late it comes.
pub(crate) async fn keep(database: &Database, access: &Access, keep: &ClaimKeep) -> Result<Lease> {
    keep.check()?;
    let repo = access.repo(database, &keep.repo, Right::Claim).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    // Expired but untaken still counts; one that was given back does not come back by itself.
    let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
        "UPDATE lease SET released = $5, note = coalesce($6, note),
             expires_at = CASE WHEN $5 THEN clock_timestamp()
                 ELSE clock_timestamp() + coalesce(make_interval(secs => $7), interval '60 seconds') END
         WHERE repo = $1 AND item = $2 AND fence = $3 AND principal = $4 AND (NOT released OR $5)
         RETURNING {COLUMNS}"
    )))
    .bind(repo.id)
    .bind(&keep.item)
    .bind(i64::try_from(keep.fence).unwrap_or(i64::MAX))
    .bind(&access.name)
    .bind(keep.release)
    .bind(&keep.note)
    .bind(keep.lease_s.map(f64::from))
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else {
        let current: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM lease WHERE repo = $1 AND item = $2 AND fence > 0"
        )))
        .bind(repo.id)
        .bind(&keep.item)
        .fetch_optional(&mut *tx)
        .await?;
        let message = match &current {
            Some(row) if row.1 != i64::try_from(keep.fence).unwrap_or(0) => {
                format!("claim {} is over: claim {} was given since", keep.fence, row.1)
            }
            _ => format!("claim {} is over", keep.fence),
        };
        let error = Error::conflict(Reason::ClaimLost, message).detail("claim", keep.fence);
        let error = match current {
            Some(row) => error.detail("holder", json!(lease(&repo, row))),
            None => error,
        };
        return Err(error.hint("stop, look at what has been done since, and claim it again"));
    };
    if let Some((root, _)) = keep.item.split_once(STEP) {
        recount_steps(&mut tx, &repo, root).await?;
    }
    if keep.release {
        let detail = format!("{} with number {}", keep.item, keep.fence);
        audit::note(&mut tx, &audit::Row::new(&access.name, &repo.name, "release", detail)).await?;
    }
    tx.commit().await?;
    Ok(lease(&repo, row))
}

/// Ends a lease by its number: one's own, or anybody's for those who decide.
pub(crate) async fn take_back(database: &Database, access: &Access, repo: &str, fence: i64) -> Result<()> {
    let repo = access.repo(database, repo, Right::Claim).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    let item: Option<String> = sqlx::query_scalar(
        "UPDATE lease SET released = true, expires_at = clock_timestamp(), note = $5
         WHERE repo = $1 AND fence = $2 AND NOT released AND ($3 OR principal = $4) RETURNING item",
    )
    .bind(repo.id)
    .bind(fence)
    .bind(repo.role.may(Right::Approve))
    .bind(&access.name)
    .bind(format!("released by {} at the hub", access.name))
    .fetch_optional(&mut *tx)
    .await?;
    let Some(item) = item else {
        return Err(Error::conflict(Reason::ClaimLost, format!("claim {fence} is over, or somebody else's"))
            .hint("load the page again, and look who holds it"));
    };
    if let Some((root, _)) = item.split_once(STEP) {
        recount_steps(&mut tx, &repo, root).await?;
    }
    let detail = format!("{item} with number {fence}");
    audit::note(&mut tx, &audit::Row::new(&access.name, &repo.name, "release", detail)).await?;
    Ok(tx.commit().await?)
}

/// Everything that somebody holds in a repository, or in all that they may read.
pub(crate) async fn list(database: &Database, access: &Access, repo: Option<&str>) -> Result<Vec<Lease>> {
    let repos = access.readable_of(database, repo).await?;
    let ids: Vec<i64> = repos.iter().map(|one| one.id).collect();
    let mut tx = database.begin(Sees::These(&ids)).await?;
    let mut leases = Vec::new();
    for repo in &repos {
        leases.extend(held(&mut tx, repo).await?);
    }
    Ok(leases)
}

async fn held(tx: &mut Transaction<'static, Postgres>, repo: &Granted) -> Result<Vec<Lease>> {
    let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM lease
         WHERE repo = $1 AND NOT released AND expires_at > clock_timestamp() ORDER BY item LIMIT 1000"
    )))
    .bind(repo.id)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|row| lease(repo, row)).collect())
}

fn lease(repo: &Granted, row: Row) -> Lease {
    let (item, fence, principal, session, worktree, branch, left, released, note) = row;
    Lease {
        repo: repo.name.clone(),
        item,
        fence: u64::try_from(fence).unwrap_or(0),
        principal,
        session,
        worktree,
        branch,
        left_ms: u64::try_from(left).unwrap_or(0),
        released,
        note,
    }
}
