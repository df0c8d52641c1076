//! Search by words and meaning, in an index of each repository that a replica keeps beside itself.
//!
//! A repository has an index of its own, so a question is put to those that are open to whoever asks and to no others: what
//! is elsewhere can shift neither a score nor a count nor the time. The indexes follow the pushes in the database; they are
//! derived, and a replica that starts without them makes them again.

mod remembering;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document as Markdown;
use hewto_search::{
    Document, DocumentKey, Embedder, Entry, Fingerprint, Hit, Index, IndexPlace, Kind, Leftover, Query,
    Question, Weighed, best_of, bundled_model,
};
use jiff::Timestamp;
use serde::Serialize;

use self::remembering::Remembering;
use crate::access::{Access, Granted};
use crate::audit::hex;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};
use crate::follow::{self, Mark, Of};

/// How long a push may hold up the next for its vectors; the rest follows behind.
const EMBEDDING: Duration = Duration::from_millis(500);
/// Fewer indexes are asked one after the other.
const FEW: usize = 16;

#[derive(Debug)]
pub(crate) struct Finder {
    folder: PathBuf,
    embedder: Option<Arc<dyn Embedder>>,
    indexes: RwLock<HashMap<i64, Arc<Index>>>,
    /// Pushes up to here are in the indexes; nothing where everything has to be looked at.
    seen: Mutex<Option<Mark>>,
    /// When all that had happened was in the indexes. A time says nothing about how much happens where.
    up_to: Mutex<Timestamp>,
}

/// One thing that was found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Found {
    pub(crate) repo: String,
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requirement: Option<String>,
    pub(crate) score: f32,
    pub(crate) snippet: String,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Answer {
    pub(crate) hits: Vec<Found>,
    pub(crate) total: usize,
    pub(crate) mode: String,
    /// What was pushed until then is in the index.
    pub(crate) as_of: String,
}

impl Finder {
    pub(crate) fn new(folder: PathBuf, by_meaning: bool) -> Self {
        let model = if by_meaning { bundled_model() } else { None };
        let embedder = model.map(|model| Arc::new(Remembering::new(model)) as Arc<dyn Embedder>);
        Self {
            folder,
            embedder,
            indexes: RwLock::default(),
            seen: Mutex::default(),
            up_to: Mutex::new(Timestamp::UNIX_EPOCH),
        }
    }

    pub(crate) fn repos(&self) -> usize {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Takes in what was pushed since the last look; returns whether there was anything.
    pub(crate) async fn follow(self: &Arc<Self>, database: &Database) -> Result<bool> {
        let begun = Timestamp::now();
        let news = self.take_in(database).await?;
        *self.up_to.lock().unwrap_or_else(PoisonError::into_inner) = begun;
        Ok(news)
    }

    async fn take_in(self: &Arc<Self>, database: &Database) -> Result<bool> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (repos, up_to) = match &seen {
            Some(seen) => follow::since(database, seen, Of::Pushes).await?,
            None => follow::everything(database).await?,
        };
        for repo in &repos {
            self.refresh(database, *repo).await?;
        }
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(up_to);
        Ok(!repos.is_empty())
    }

    /// Brings the index of one repository to what its views hold.
    async fn refresh(self: &Arc<Self>, database: &Database, repo: i64) -> Result<()> {
        type Row = (String, String, Option<String>, Vec<u8>, Option<String>);
        let mut tx = database.begin(Sees::These(&[repo])).await?;
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT kind, item, capability, hash, max(title) FROM entry
             WHERE repo = $1 AND kind IN ('spec', 'plan', 'proposal', 'tasks', 'delta', 'decision')
             GROUP BY kind, item, capability, hash ORDER BY 1, 2, 3, 4",
        )
        .bind(repo)
        .fetch_all(&mut *tx)
        .await?;
        let index = self.index(repo)?;
        let sources: HashMap<DocumentKey, Row> =
            rows.into_iter().filter_map(|row| Some((key_of(&row)?, row))).collect();
        let stale = index
            .stale(sources.iter().map(|(key, row)| (key.clone(), Fingerprint::of(&row.3))))
            .map_err(broken)?;
        let wanted: Vec<Vec<u8>> =
            stale.changed.iter().filter_map(|key| Some(sources.get(key)?.3.clone())).collect();
        let texts: Vec<(Vec<u8>, String)> =
            sqlx::query_as("SELECT hash, body FROM blob WHERE repo = $1 AND hash = ANY ($2)")
                .bind(repo)
                .bind(wanted)
                .fetch_all(&mut *tx)
                .await?;
        drop(tx);
        let texts: HashMap<Vec<u8>, String> = texts.into_iter().collect();
        let applied = tokio::task::spawn_blocking(move || {
            let documents = stale.changed.iter().filter_map(|key| {
                let row = sources.get(key)?;
                Some(document(key, row, texts.get(&row.3)?))
            });
            index.apply(documents, &stale.removed)?;
            index.catch_up(EMBEDDING, Leftover::Background)
        });
        applied.await.map_err(|_| Error::unavailable())?.map_err(broken)?;
        Ok(())
    }

    fn index(&self, repo: i64) -> Result<Arc<Index>> {
        if let Some(index) = self.indexes.read().unwrap_or_else(PoisonError::into_inner).get(&repo) {
            return Ok(Arc::clone(index));
        }
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = indexes.get(&repo) {
            return Ok(Arc::clone(index));
        }
        let folder = self.folder.join(repo.to_string());
        let place = IndexPlace { wholes_only: true, alone: true, ..IndexPlace::new(&folder) };
        let index = Arc::new(Index::open_at(&place, self.embedder.clone()).map_err(broken)?);
        indexes.insert(repo, Arc::clone(&index));
        Ok(index)
    }

    /// Asks the indexes of these repositories, and no others.
    pub(crate) async fn search(
        self: &Arc<Self>,
        database: &Database,
        access: &Access,
        ask: Ask,
    ) -> Result<Answer> {
        let mut repos = access.readable(database).await?;
        if let Some(name) = &ask.repo {
            repos.retain(|one| one.name == *name);
            if repos.is_empty() {
                return Err(Error::no_repo());
            }
        }
        let finder = Arc::clone(self);
        let answered = tokio::task::spawn_blocking(move || finder.ask(&repos, &ask));
        answered.await.map_err(|_| Error::unavailable())?
    }

    fn ask(&self, repos: &[Granted], ask: &Ask) -> Result<Answer> {
        // Whole seconds: how long a look takes depends on what is pushed elsewhere.
        let up_to = *self.up_to.lock().unwrap_or_else(PoisonError::into_inner);
        let as_of = Timestamp::from_second(up_to.as_second()).unwrap_or(up_to).to_string();
        let open: Vec<(&Granted, Arc<Index>)> = {
            let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
            repos.iter().filter_map(|repo| Some((repo, Arc::clone(indexes.get(&repo.id)?)))).collect()
        };
        let query = Query { limit: ask.limit, kinds: ask.kinds.clone(), ..Query::new(&ask.text) };
        let question = Question::new(&query);
        let weighed = self.weighed(&open, &question)?;
        let total = weighed.iter().map(Weighed::total).sum();
        let mode = weighed.first().map_or_else(|| "lexical".to_owned(), |one| one.mode().to_owned());
        // The same promise in several views of a repository is told once.
        let mut told = std::collections::HashSet::new();
        let once = |place: usize, hit: &Hit| {
            told.insert((place, hit.kind, name_of(&hit.document.id).to_owned(), hit.requirement.clone()))
        };
        let best = best_of(weighed, &question, ask.limit, once).map_err(broken)?;
        let hits = best.into_iter().map(|(place, hit)| found(&open[place].0.name, hit)).collect();
        Ok(Answer { hits, total, mode, as_of })
    }

    /// Puts one question to many indexes, on all cores where there are enough of them. One that cannot be read is made anew
    /// by the next look at the database.
    fn weighed(&self, open: &[(&Granted, Arc<Index>)], question: &Question<'_>) -> Result<Vec<Weighed>> {
        let ask = |(repo, index): &(&Granted, Arc<Index>)| {
            index.weigh(question).map_err(|error| {
                self.forget(repo.id);
                broken(error)
            })
        };
        if open.len() < FEW {
            return open.iter().map(ask).collect();
        }
        let ask_all = |part: &[(&Granted, Arc<Index>)]| part.iter().map(ask).collect::<Result<Vec<_>>>();
        let parts: Result<Vec<_>> = hewto_parallel::map_chunks(open, ask_all).into_iter().collect();
        Ok(parts?.into_iter().flatten().collect())
    }

    /// Lets the next look at the database fill the index of a repository again.
    fn forget(&self, repo: i64) {
        self.indexes.write().unwrap_or_else(PoisonError::into_inner).remove(&repo);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A question.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) text: String,
    pub(crate) repo: Option<String>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) limit: usize,
}

/// What parts the name of a document from the hash of its text: two views may hold two of one name.
const AT: char = '@';

fn key_of(row: &(String, String, Option<String>, Vec<u8>, Option<String>)) -> Option<DocumentKey> {
    let kind = match row.0.as_str() {
        "spec" => Kind::Spec,
        "plan" | "tasks" => Kind::Plan,
        "proposal" | "delta" => Kind::Change,
        "decision" => Kind::Decision,
        _ => return None,
    };
    let part = row.2.as_deref().map(|capability| format!("/{capability}")).unwrap_or_default();
    Some(DocumentKey::new(kind, format!("{}{part}{AT}{}", row.1, &hex(&row.3)[..16])))
}

fn document(
    key: &DocumentKey,
    row: &(String, String, Option<String>, Vec<u8>, Option<String>),
    text: &str,
) -> Document {
    let markdown = Markdown::parse(text);
    let title = row.4.clone().unwrap_or_else(|| row.2.clone().unwrap_or_else(|| row.1.clone()));
    let entries = match row.0.as_str() {
        "spec" => Entry::of_spec(&markdown),
        "delta" => {
            let delta = DeltaDoc::read(&markdown);
            let blocks = delta.added.iter().chain(&delta.modified);
            blocks.map(|block| Entry::of_requirement(Kind::Change, &markdown, block)).collect()
        }
        "proposal" => vec![Entry::of_document(Kind::Change, &markdown)],
        "decision" => vec![Entry::of_document(Kind::Decision, &markdown)],
        _ => vec![Entry::of_document(Kind::Plan, &markdown)],
    };
    let heading = title.clone();
    Document { key: key.clone(), fingerprint: Fingerprint::of(&row.3), title, heading, entries }
}

fn found(repo: &str, hit: Hit) -> Found {
    Found {
        repo: repo.to_owned(),
        kind: hit.kind.to_string(),
        id: name_of(&hit.document.id).to_owned(),
        title: hit.title,
        requirement: hit.requirement,
        score: hit.score,
        snippet: hit.snippet.text,
    }
}

/// The name of a document without the hash of its text.
fn name_of(id: &str) -> &str {
    id.rsplit_once(AT).map_or(id, |(name, _)| name)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn broken(error: hewto_search::SearchError) -> Error {
    tracing::warn!(%error, "the index of a repository does not answer");
    Error::unavailable()
}
