//! What depends on what across repositories.

use serde::Serialize;

use crate::access::{Access, Right};
use crate::database::{Database, Sees};
use crate::error::Result;

/// One dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct EdgeView {
    pub(crate) from_repo: String,
    pub(crate) from: String,
    pub(crate) to_repo: String,
    pub(crate) to: String,
    pub(crate) kind: String,
    /// Whether somebody who may see it has pushed the target.
    pub(crate) known: bool,
}

/// Edges from and to a repository, or to one of its specs; both ends have to be theirs to see.
pub(crate) async fn edges(
    database: &Database,
    access: &Access,
    repo: &str,
    item: Option<&str>,
) -> Result<Vec<EdgeView>> {
    type Row = (String, String, String, String, String, bool);
    let repo = access.repo(database, repo, Right::Read).await?;
    let visible = access.readable(database).await?;
    let ids: Vec<i64> = visible.iter().map(|one| one.id).collect();
    let mut tx = database.begin(Sees::These(&ids)).await?;
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT DISTINCT r.name, e.item, coalesce(e.to_repo, r.name), e.target, e.kind,
                EXISTS (SELECT 1 FROM entry n JOIN repo o ON o.id = n.repo
                        WHERE o.id = ANY ($4) AND o.name = coalesce(e.to_repo, r.name) AND n.kind = 'spec' AND n.item = e.target)
         FROM edge e JOIN repo r ON r.id = e.repo
         WHERE e.repo = ANY ($4)
           AND ((e.repo = $1 AND ($3::text IS NULL OR e.item = $3))
                OR (coalesce(e.to_repo, r.name) = $2 AND ($3::text IS NULL OR e.target = $3)))
         ORDER BY 1, 2, 3, 4 LIMIT 5000",
    )
    .bind(repo.id)
    .bind(&repo.name)
    .bind(item)
    .bind(&ids)
    .fetch_all(&mut *tx)
    .await?;
    // The name of a repository that is not theirs stands in a document that is; whether it exists is not told.
    let edge = |(from_repo, from, to_repo, to, kind, known): Row| EdgeView {
        from_repo,
        from,
        to_repo,
        to,
        kind,
        known,
    };
    Ok(rows.into_iter().map(edge).collect())
}
