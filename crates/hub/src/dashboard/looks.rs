//! What people were shown and have looked at, in the database: whichever replica they come to next knows it too.

use hewto_engine::Project;
use hewto_engine::review::{bring_looks, bring_shown};

use super::Visit;
use crate::database::Sees;
use crate::error::Result;

/// So many items that somebody has looked at are remembered on a board.
const MOST_LOOKS: i64 = 500;

/// What the database knows of a person's looks.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Item and what they have seen of it.
    looks: Vec<(String, String)>,
    /// Digest and meaning of what they were shown.
    shown: Vec<(String, String)>,
}

impl Remembered {
    /// Puts it where the pages look for it.
    pub(super) fn bring(&self, project: &Project, person: &str) {
        let Ok(workspace) = project.workspace() else { return };
        for (digest, meaning) in &self.shown {
            bring_shown(workspace, digest, meaning);
        }
        for (item, looks) in &self.looks {
            bring_looks(workspace, person, item, looks);
        }
    }
}

impl Visit<'_> {
    /// What this person has looked at: of one item, with what they saw then, or of all.
    pub(super) async fn remembered(&self, item: Option<&str>) -> Result<Remembered> {
        let mut tx = self.hub.database.begin(Sees::These(&[self.repo.id])).await?;
        let looks: Vec<(String, String)> = sqlx::query_as(
            "SELECT item, looks FROM look WHERE repo = $1 AND person = $2 AND ($3::text IS NULL OR item = $3)
             ORDER BY at DESC LIMIT $4",
        )
        .bind(self.repo.id)
        .bind(&self.visitor.access.name)
        .bind(item)
        .bind(MOST_LOOKS)
        .fetch_all(&mut *tx)
        .await?;
        let mut shown = Vec::new();
        if let Some(item) = item.filter(|_| !looks.is_empty()) {
            let digest = |looks: &str| {
                let read: serde_json::Value = serde_json::from_str(looks).ok()?;
                read["digest"].as_str().map(str::to_owned)
            };
            let digests: Vec<String> = looks.iter().filter_map(|(_, looks)| digest(looks)).collect();
            shown = sqlx::query_as(
                "SELECT digest, meaning FROM shown WHERE repo = $1 AND item = $2 AND digest = ANY ($3)",
            )
            .bind(self.repo.id)
            .bind(item)
            .bind(digests)
            .fetch_all(&mut *tx)
            .await?;
        }
        Ok(Remembered { looks, shown })
    }

    /// What stood behind a digest when somebody was shown it.
    pub(super) async fn was_shown(&self, digest: &str) -> Result<Remembered> {
        let mut tx = self.hub.database.begin(Sees::These(&[self.repo.id])).await?;
        let shown: Vec<(String, String)> =
            sqlx::query_as("SELECT digest, meaning FROM shown WHERE repo = $1 AND digest = $2")
                .bind(self.repo.id)
                .bind(digest)
                .fetch_all(&mut *tx)
                .await?;
        Ok(Remembered { looks: Vec::new(), shown })
    }

    /// Keeps what a page shows. Where that fails, a later difference cannot be told, and nothing else.
    pub(super) async fn keep_shown(&self, item: &str, digest: &str, meaning: &str) {
        let kept = async {
            let mut tx = self.hub.database.begin(Sees::These(&[self.repo.id])).await?;
            sqlx::query(
                "INSERT INTO shown (repo, digest, item, meaning) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            )
            .bind(self.repo.id)
            .bind(digest)
            .bind(item)
            .bind(meaning)
            .execute(&mut *tx)
            .await?;
            Ok::<_, crate::error::Error>(tx.commit().await?)
        };
        if let Err(error) = kept.await {
            tracing::debug!(%error, "what was shown is not kept");
        }
    }

    /// Keeps what this person has seen of an item.
    pub(super) async fn keep_looks(&self, item: &str, looks: &str) {
        let kept = async {
            let mut tx = self.hub.database.begin(Sees::These(&[self.repo.id])).await?;
            sqlx::query(
                "INSERT INTO look (repo, person, item, looks) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (repo, person, item) DO UPDATE SET looks = excluded.looks, at = now()",
            )
            .bind(self.repo.id)
            .bind(&self.visitor.access.name)
            .bind(item)
            .bind(looks)
            .execute(&mut *tx)
            .await?;
            Ok::<_, crate::error::Error>(tx.commit().await?)
        };
        if let Err(error) = kept.await {
            tracing::debug!(%error, "what was seen is not kept");
        }
    }
}
