//! Where everything stands, as far as somebody may see it.

use serde::Serialize;

use hewto_core::hub::Lease;

use crate::access::{Access, Right};
use crate::database::{Database, Sees};
use crate::error::Result;
use crate::lease;
use crate::overlap::{Overlap, OverlapQuery, overlaps};

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Status {
    pub(crate) principal: String,
    pub(crate) as_of: String,
    pub(crate) repos: Vec<RepoStatus>,
    pub(crate) overlaps: Vec<Overlap>,
    pub(crate) leases: Vec<Lease>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct RepoStatus {
    pub(crate) repo: String,
    pub(crate) role: String,
    pub(crate) views: Vec<ViewStatus>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ViewStatus {
    pub(crate) kind: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    pub(crate) version: i64,
    pub(crate) documents: i64,
    pub(crate) specs: i64,
    pub(crate) requirements: i64,
    pub(crate) changes: i64,
    pub(crate) pushed_at: String,
}

pub(crate) async fn status(database: &Database, access: &Access, repo: Option<&str>) -> Result<Status> {
    type Row = (i64, String, String, Option<String>, Option<String>, i64, i64, i64, i64, i64, String);
    let repos = access.readable_of(database, repo).await?;
    let ids: Vec<i64> = repos.iter().map(|one| one.id).collect();
    let mut tx = database.begin(Sees::These(&ids)).await?;
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT v.repo, v.kind, v.name, p.name, v.head, v.version, v.documents,
                count(e.path) FILTER (WHERE e.kind = 'spec'),
                coalesce(sum(e.requirements) FILTER (WHERE e.kind = 'spec'), 0)::bigint,
                count(DISTINCT e.item) FILTER (WHERE starts_with(e.item, 'change:')),
                to_char(v.pushed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')
         FROM view v LEFT JOIN principal p ON p.id = v.owner LEFT JOIN entry e ON e.view = v.id
         WHERE v.repo = ANY ($1) GROUP BY v.id, p.name ORDER BY v.repo, v.kind, v.name, p.name",
    )
    .bind(&ids)
    .fetch_all(&mut *tx)
    .await?;
    let as_of: String =
        sqlx::query_scalar("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            .fetch_one(&mut *tx)
            .await?;
    drop(tx);
    let views_of = |id: i64| {
        rows.iter()
            .filter(|row| row.0 == id)
            .map(
                |(
                    _,
                    kind,
                    name,
                    owner,
                    head,
                    version,
                    documents,
                    specs,
                    requirements,
                    changes,
                    pushed_at,
                )| {
                    ViewStatus {
                        kind: kind.clone(),
                        name: name.clone(),
                        owner: owner.clone(),
                        head: head.clone(),
                        version: *version,
                        documents: *documents,
                        specs: *specs,
                        requirements: *requirements,
                        changes: *changes,
                        pushed_at: pushed_at.clone(),
                    }
                },
            )
            .collect()
    };
    let repo_status = |one: &crate::access::Granted| RepoStatus {
        repo: one.name.clone(),
        role: one.role.to_string(),
        views: views_of(one.id),
    };
    let about = OverlapQuery { repo: repo.map(str::to_owned), change: None };
    Ok(Status {
        principal: access.name.clone(),
        as_of,
        repos: repos.iter().map(repo_status).collect(),
        overlaps: overlaps(database, access, &about).await?,
        leases: lease::list(database, access, repo).await?,
    })
}

/// The version of a view, so that a client that forgot it can go on.
pub(crate) async fn version(
    database: &Database,
    access: &Access,
    repo: &str,
    kind: &str,
    name: &str,
) -> Result<i64> {
    let repo = access.repo(database, repo, Right::Read).await?;
    let owner = (kind == "worktree").then_some(access.principal);
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    let version: Option<i64> = sqlx::query_scalar(
        "SELECT version FROM view WHERE repo = $1 AND kind = $2 AND coalesce(owner, 0) = coalesce($3, 0) AND name = $4",
    )
    .bind(repo.id)
    .bind(kind)
    .bind(owner)
    .bind(name)
    .fetch_optional(&mut *tx)
    .await?;
    Ok(version.unwrap_or(0))
}
