//! The items of everything that somebody may read, so many that a page can show them, and nobody's for everybody else's.

use serde::Serialize;

use crate::access::Access;
use crate::database::{Database, Sees};
use crate::error::Result;

/// So many lines are told at once.
const MOST: i64 = 1_000;

/// One line of a list of items.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ItemLine {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) views: i64,
    pub(crate) last_verdict: Option<String>,
}

/// What is told, and how many there are besides.
#[derive(Debug, Clone, Serialize)]
#[expect(clippy::struct_field_names, reason = "as the interface names it")]
pub(crate) struct Items {
    pub(crate) items: Vec<ItemLine>,
    pub(crate) more: i64,
    /// In which repositories those are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_in: Vec<MoreIn>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct MoreIn {
    pub(crate) repo: String,
    pub(crate) more: i64,
}

/// Ranks the items of each owner of views in each repository by themselves, the latest first; then takes the first of every
/// owner, then the second, and so in every repository. Whoever pushes a thousand changes fills what others leave, and no more.
/// An item of several owners counts by the best of its ranks: nobody ranks somebody else's lower by having it too.
const SHARED: &str = "WITH pair AS (
         SELECT e.repo, e.item, coalesce(v.owner, 0) AS owner, max(e.title) AS title, max(v.pushed_at) AS at
         FROM entry e JOIN view v ON v.id = e.view
         WHERE e.repo = ANY ($1) AND (starts_with(e.item, 'change:') OR e.kind = 'plan')
         GROUP BY e.repo, e.item, coalesce(v.owner, 0)),
     ranked AS (
         SELECT p.*, row_number() OVER (PARTITION BY repo, owner
                    ORDER BY starts_with(item, 'change:') DESC, at DESC, item) AS place
         FROM pair p),
     one AS (
         SELECT repo, item, max(title) AS title, max(at) AS at, min(place) AS place FROM ranked GROUP BY repo, item),
     turn AS (
         SELECT o.*, row_number() OVER (PARTITION BY repo ORDER BY place, at DESC, item) AS turn FROM one o),
     chosen AS (
         SELECT t.*, row_number() OVER (ORDER BY turn, at DESC, repo, item) AS nth FROM turn t)";

/// Open changes first, the latest first.
pub(crate) async fn items(database: &Database, access: &Access, repo: Option<&str>) -> Result<Items> {
    type Row = (String, String, Option<String>, i64, Option<String>);
    let repos = access.readable_of(database, repo).await?;
    let ids: Vec<i64> = repos.iter().map(|one| one.id).collect();
    let mut tx = database.begin(Sees::These(&ids)).await?;
    let shown = format!(
        "{SHARED} SELECT r.name, c.item, c.title,
                (SELECT count(DISTINCT e.view) FROM entry e WHERE e.repo = c.repo AND e.item = c.item
                 AND (starts_with(e.item, 'change:') OR e.kind = 'plan')),
                (SELECT v.verdict FROM review v WHERE v.repo = c.repo AND v.item = c.item AND v.kind = 'verdict'
                 ORDER BY v.uid DESC LIMIT 1)
         FROM chosen c JOIN repo r ON r.id = c.repo WHERE c.nth <= $2
         ORDER BY starts_with(c.item, 'change:') DESC, c.at DESC, r.name, c.item"
    );
    let rows: Vec<Row> =
        sqlx::query_as(sqlx::AssertSqlSafe(shown)).bind(&ids).bind(MOST).fetch_all(&mut *tx).await?;
    let mut more_in = Vec::new();
    if i64::try_from(rows.len()).unwrap_or(MOST) >= MOST {
        let left = format!(
            "{SHARED} SELECT r.name, count(*) FROM chosen c JOIN repo r ON r.id = c.repo WHERE c.nth > $2
             GROUP BY r.name ORDER BY 2 DESC, 1"
        );
        let left: Vec<(String, i64)> =
            sqlx::query_as(sqlx::AssertSqlSafe(left)).bind(&ids).bind(MOST).fetch_all(&mut *tx).await?;
        more_in = left.into_iter().map(|(repo, more)| MoreIn { repo, more }).collect();
    }
    let line = |(repo, item, title, views, last_verdict): Row| {
        let title = title.unwrap_or_else(|| item.clone());
        ItemLine { repo, item, title, views, last_verdict }
    };
    Ok(Items {
        items: rows.into_iter().map(line).collect(),
        more: more_in.iter().map(|one| one.more).sum(),
        more_in,
    })
}
