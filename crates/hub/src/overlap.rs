//! Requirements that more than one open change touches, found when somebody asks: two pushes at once cannot miss each other.

use serde::Serialize;

use crate::access::{Access, Granted, Right};
use crate::database::{Database, Sees};
use crate::error::Result;

/// One requirement, and everybody who touches it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Overlap {
    pub(crate) capability: String,
    pub(crate) requirement: String,
    pub(crate) touched_by: Vec<Toucher>,
}

/// A change that touches it, somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Toucher {
    pub(crate) repo: String,
    pub(crate) change: String,
    pub(crate) op: String,
    /// `branch` or `worktree`.
    pub(crate) kind: String,
    pub(crate) view: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

/// What is asked about.
#[derive(Debug, Default, Clone)]
pub(crate) struct OverlapQuery {
    pub(crate) repo: Option<String>,
    pub(crate) change: Option<String>,
}

type Row = (String, String, String, String, String, String, String, String, Option<String>);

/// The overlaps among everything that they may read; only those that concern a repository or a change, where one is named.
pub(crate) async fn overlaps(
    database: &Database,
    access: &Access,
    query: &OverlapQuery,
) -> Result<Vec<Overlap>> {
    let named: Option<Granted> = match &query.repo {
        Some(name) => Some(access.repo(database, name, Right::Read).await?),
        None => None,
    };
    // Said in the question itself, and by the database for a user whom row-level security holds.
    let ids: Vec<i64> = access.readable(database).await?.into_iter().map(|one| one.id).collect();
    let mut tx = database.begin(Sees::These(&ids)).await?;
    // The same words of one change in several places are one; a change that reads differently in two places is two.
    let rows: Vec<Row> = sqlx::query_as(
        "WITH busy AS (
             SELECT capability, slug FROM touch WHERE repo = ANY ($3)
             GROUP BY capability, slug
             HAVING count(DISTINCT (repo, change_id, content)) > 1
                AND ($1::bigint IS NULL OR bool_or(repo = $1 AND ($2::text IS NULL OR change_id = $2))))
         SELECT t.capability, t.slug, t.requirement, r.name, t.change_id, t.op, v.kind, v.name, p.name
         FROM touch t JOIN busy USING (capability, slug)
         JOIN view v ON v.id = t.view JOIN repo r ON r.id = t.repo LEFT JOIN principal p ON p.id = v.owner
         WHERE t.repo = ANY ($3) ORDER BY 1, 2, 4, 5, 7, 8, 9 LIMIT 5000",
    )
    .bind(named.as_ref().map(|repo| repo.id))
    .bind(&query.change)
    .bind(&ids)
    .fetch_all(&mut *tx)
    .await?;
    let mut found: Vec<(String, Overlap)> = Vec::new();
    for (capability, slug, requirement, repo, change, op, kind, view, owner) in rows {
        let toucher = Toucher { repo, change, op, kind, view, owner };
        match found.last_mut() {
            Some((last, overlap)) if *last == slug && overlap.capability == capability => {
                overlap.touched_by.push(toucher);
            }
            _ => found.push((slug, Overlap { capability, requirement, touched_by: vec![toucher] })),
        }
    }
    Ok(found.into_iter().map(|(_, overlap)| overlap).collect())
}
