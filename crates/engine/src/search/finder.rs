//! The index of an open workspace: opened once, with one model, and brought up to date before each question.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hewto_search::{Document, DocumentKey, Embedder, Fingerprint, Index, Model, SearchError, bundled_model};
use hewto_store::{Context, Progress, RelPath};

use super::documents::{Source, Sources};
use crate::error::Result;
use crate::workspace::Workspace;

/// How long a question waits for another process that writes the index, before the index as it was serves.
const PATIENCE: Duration = Duration::from_secs(2);
/// Documents between two reports of progress.
const STEP: usize = 100;

/// Who turns texts into vectors.
#[derive(Debug, Clone, Default)]
pub enum ModelChoice {
    /// The model that was compiled in, or none.
    #[default]
    Bundled,
    /// A model in an ONNX file.
    File(PathBuf),
    /// Somebody's own.
    Given(Arc<dyn Embedder>),
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled if bundled_model().is_none() => f.write_str("none"),
            Self::Bundled => f.write_str("bundled"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Given(_) => f.write_str("given"),
        }
    }
}

/// What a workspace keeps for its searches.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    model: ModelChoice,
    open: Mutex<Option<Open>>,
}

/// An open index.
#[derive(Debug)]
struct Open {
    index: Arc<Index>,
    memory: Memory,
}

/// What was found when the index was last compared with the files.
#[derive(Debug, Default)]
struct Memory {
    /// What files and index looked like when nothing was to be done.
    clean: Option<(u64, Vec<Fingerprint>, u64)>,
    /// Documents that were indexed while their stamps proved nothing, with what they said.
    unsettled: HashMap<DocumentKey, Witness>,
}

#[derive(Debug, Clone, Copy)]
struct Witness {
    print: Fingerprint,
    content: Fingerprint,
    /// Whether the same stamps have since come to mean the same text.
    proven: bool,
}

/// What to do where there is no index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Refused,
    Made,
}

/// The index, and what came of bringing it up to date: how many documents that took, or why it serves as it was.
#[derive(Debug)]
pub(super) struct Refreshed {
    pub(super) index: Arc<Index>,
    pub(super) outcome: Result<usize>,
}

impl Finder {
    pub(crate) fn new(model: ModelChoice) -> Self {
        Self { model, ..Self::default() }
    }

    pub(super) fn model(&self) -> &ModelChoice {
        &self.model
    }

    /// The index as it is, if there is one.
    pub(super) fn open(&self, ws: &Workspace) -> Result<Arc<Index>> {
        let mut open = lock(&self.open);
        forget_what_is_gone(ws, &mut open, Absent::Refused)?;
        if let Some(open) = open.as_ref() {
            return Ok(Arc::clone(&open.index));
        }
        let index = Arc::new(self.open_index(ws)?);
        *open = Some(Open { index: Arc::clone(&index), memory: Memory::default() });
        Ok(index)
    }

    /// The index, brought up to date with the files.
    pub(super) fn refresh(&self, ws: &Workspace, ctx: &Context, absent: Absent) -> Result<Refreshed> {
        // Whoever comes while another looks has to wait for that look, or would not know what it found.
        let mut open = lock(&self.open);
        forget_what_is_gone(ws, &mut open, absent)?;
        let (open, sources) = if let Some(open) = open.as_mut() {
            (open, Sources::look(ws, ctx))
        } else {
            let (index, sources) = self.open_and_look(ws, ctx);
            (open.insert(Open { index: Arc::new(index?), memory: Memory::default() }), sources)
        };
        let outcome = sources.and_then(|sources| open.follow(ws, ctx, &sources));
        Ok(Refreshed { index: Arc::clone(&open.index), outcome })
    }

    /// Closes the index, so that the next question opens it anew.
    pub(super) fn close(&self) {
        *lock(&self.open) = None;
    }

    /// The first look at the files takes as long as reading the index and loading the model, and none of them needs
    /// another.
    fn open_and_look(&self, ws: &Workspace, ctx: &Context) -> (Result<Index>, Result<Sources>) {
        std::thread::scope(|scope| {
            let opening = scope.spawn(|| {
                let index = self.open_index(ws)?;
                index.load_model();
                Ok(index)
            });
            let sources = Sources::look(ws, ctx);
            (opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), sources)
        })
    }

    /// The index in its folder; an empty one where there is none.
    fn open_index(&self, ws: &Workspace) -> Result<Index> {
        let folder = ws.store().make_search_index()?;
        Ok(Index::open_with_patience(&folder, self.embedder()?, PATIENCE)?)
    }

    fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>> {
        Ok(match &self.model {
            ModelChoice::Bundled => bundled_model(),
            ModelChoice::File(path) => {
                let model = Model::from_file(path).map_err(SearchError::from)?;
                Some(Arc::new(model))
            }
            ModelChoice::Given(embedder) => Some(Arc::clone(embedder)),
        })
    }
}

/// An index whose folder was deleted is no longer open.
fn forget_what_is_gone(ws: &Workspace, open: &mut Option<Open>, absent: Absent) -> Result<()> {
    if Index::exists(&ws.layout().search_index()) {
        return Ok(());
    }
    *open = None;
    match absent {
        Absent::Made => Ok(()),
        Absent::Refused => {
            let folder = ws.layout().places().search_index.as_str().into();
            Err(SearchError::Missing { folder }.into())
        }
    }
}

impl Open {
    /// Takes in what is different in the files and returns how many documents that were.
    fn follow(&mut self, ws: &Workspace, ctx: &Context, sources: &Sources) -> Result<usize> {
        let Self { index, memory } = self;
        let (generation, others) = sources.glance();
        let now = (generation, others, index.revision()?);
        if memory.clean.as_ref() == Some(&now) {
            return Ok(0);
        }
        let stale = index.stale(sources.all().map(|source| {
            let vouched = memory.vouches_for(ws, ctx, &source);
            let print = if vouched { source.evidence.unsettled() } else { source.evidence.print };
            (source.key, print)
        }))?;
        let mut touched = 0;
        if !stale.is_empty() {
            let mut reading = Reading { ws, ctx, total: stale.changed.len(), read: 0, witnesses: Vec::new() };
            // What was read when the time is up is kept; the rest is for the next call.
            let keys = stale.changed.iter().take_while(|_| ctx.check().is_ok());
            let documents = keys.filter_map(|key| reading.next(&sources.find(key)?));
            touched = index.apply(documents, &stale.removed)?;
            memory.unsettled.retain(|key, _| sources.find(key).is_some());
            // Only now: what did not get into the index has no witness.
            memory.unsettled.extend(reading.witnesses);
            ctx.check()?;
        }
        let settled = memory.unsettled.values().all(|witness| witness.proven);
        memory.clean = if settled { Some((now.0, now.1, index.revision()?)) } else { None };
        Ok(touched)
    }
}

impl Memory {
    /// Whether a document that was indexed too early for its stamps to prove anything still says the same.
    fn vouches_for(&mut self, ws: &Workspace, ctx: &Context, source: &Source) -> bool {
        let Some(witness) = self.unsettled.get_mut(&source.key) else { return false };
        if witness.print != source.evidence.print {
            return false;
        }
        if !witness.proven {
            let Some(texts) = source.texts(ws, ctx) else { return false };
            if content(&texts) != witness.content {
                return false;
            }
            witness.proven = source.evidence.settled;
        }
        true
    }
}

/// Documents on their way into the index.
struct Reading<'a> {
    ws: &'a Workspace,
    ctx: &'a Context,
    total: usize,
    read: usize,
    witnesses: Vec<(DocumentKey, Witness)>,
}

impl Reading<'_> {
    /// The next document; nothing for one that has vanished.
    fn next(&mut self, source: &Source) -> Option<Document> {
        if self.read.is_multiple_of(STEP) {
            self.ctx.report(Progress {
                done: self.read as u64,
                total: Some(self.total as u64),
                message: "reading documents".to_owned(),
            });
        }
        self.read += 1;
        let texts = source.texts(self.ws, self.ctx)?;
        if !source.evidence.settled {
            let witness = Witness { print: source.evidence.print, content: content(&texts), proven: false };
            self.witnesses.push((source.key.clone(), witness));
        }
        Some(source.document(&texts))
    }
}

fn content(texts: &[(RelPath, String)]) -> Fingerprint {
    let mut bytes = Vec::new();
    for (path, text) in texts {
        for part in [path.as_str(), text.as_str()] {
            bytes.extend(part.len().to_le_bytes());
            bytes.extend(part.as_bytes());
        }
    }
    Fingerprint::of(&bytes)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
