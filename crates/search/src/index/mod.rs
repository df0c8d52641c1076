//! The index: a folder that can be searched, kept current, shared between processes and thrown away.
//!
//! Whoever holds the documents tells the index what they are ([`Index::stale`], [`Index::apply`]); the index never
//! reads them itself. A change is found by its words at once, by its meaning when its vectors are there: few are made
//! on the spot, many in the background ([`Index::catch_up`]), and answers say which ranker served them. Anything in
//! the folder that does not fit or is torn is made anew without a word.

mod answer;
mod by_words;
mod compare;
mod embedding;
mod folder;
mod many;
mod note;
mod question;
mod shared;
mod state;
mod turn;
mod weigh;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

pub use answer::{Answer, Hit, Query};
pub use embedding::{Leftover, Progress};
pub use many::best_of;
pub use note::Note;
pub use question::Question;
pub use weigh::Weighed;

use folder::Folder;
use shared::Shared;
use state::State;
use turn::Turn;

use crate::document::{Document, DocumentKey, Fingerprint};
use crate::error::SearchError;
use crate::lexical::unless_damaged;
use crate::model::Embedder;

/// How long a writer waits for another process unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(5);

/// A search index in a folder. Any number of threads and processes may use it at once.
#[derive(Debug)]
pub struct Index {
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// Where an index is.
#[derive(Debug, Clone, Copy)]
pub struct IndexPlace<'p> {
    pub folder: &'p Path,
    /// A folder for vectors that several indexes share, such as those of a repository's work trees.
    pub vectors: Option<&'p Path>,
    /// Writers give up after this long when another process keeps the index locked.
    pub patience: Duration,
    /// Whether only the whole of each entry counts by meaning, however few there are: for one of many indexes that are
    /// asked together, whose parts would cost three times the memory.
    pub wholes_only: bool,
    /// Whether no other process writes there while this one has it open: questions then do not look whether any has, which is a
    /// third of what one of hundreds of small indexes takes. Whatever changes the index looks all the same.
    pub alone: bool,
}

impl<'p> IndexPlace<'p> {
    pub fn new(folder: &'p Path) -> Self {
        Self { folder, vectors: None, patience: PATIENCE, wholes_only: false, alone: false }
    }
}

/// What has to be done to make the index current.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stale {
    /// New or different.
    pub changed: Vec<DocumentKey>,
    /// In the index and nowhere else.
    pub removed: Vec<DocumentKey>,
    /// What the index was compared at: another process may have moved it on since.
    pub revision: u64,
}

impl Stale {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// What the index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub documents: usize,
    pub entries: usize,
    /// Passages that have their vector, of those there are.
    pub embedded: Progress,
    /// Whether vectors are being made by this process.
    pub embedding: bool,
    /// Bytes on disk.
    pub bytes: u64,
    pub model_failure: Option<String>,
    pub has_model: bool,
}

impl Index {
    /// Whether a folder holds an index, whatever its state.
    pub fn exists(folder: &Path) -> bool {
        Folder::new(folder).exists()
    }

    /// Deletes the index in a folder. Those who have it open will see that it is gone.
    pub fn clear(folder: &Path) -> Result<(), SearchError> {
        Self::clear_at(&IndexPlace::new(folder))
    }

    /// As [`Index::clear`], with the vectors that it shares.
    pub fn clear_at(place: &IndexPlace<'_>) -> Result<(), SearchError> {
        let folder = Folder::sharing(place.folder, place.vectors);
        if !folder.path().exists() {
            return Ok(());
        }
        let _lock = folder.lock(place.patience)?;
        folder.clear()
    }

    /// Opens the index in a folder, or makes an empty one. Without an embedder it knows words only.
    pub fn open(folder: &Path, embedder: Option<Arc<dyn Embedder>>) -> Result<Self, SearchError> {
        Self::open_at(&IndexPlace::new(folder), embedder)
    }

    /// An index that no file is written for, and that ends with its handle.
    pub fn in_memory(embedder: Option<Arc<dyn Embedder>>) -> Result<Self, SearchError> {
        Self::of(Folder::in_memory(), embedder, PATIENCE)
    }

    /// As [`Index::open`], in a place with wishes of its own.
    pub fn open_at(place: &IndexPlace<'_>, embedder: Option<Arc<dyn Embedder>>) -> Result<Self, SearchError> {
        let mut folder = Folder::sharing(place.folder, place.vectors);
        if place.wholes_only {
            folder = folder.wholes_only();
        }
        if place.alone {
            folder = folder.alone();
        }
        Self::of(folder, embedder, place.patience)
    }

    fn of(
        mut folder: Folder,
        embedder: Option<Arc<dyn Embedder>>,
        patience: Duration,
    ) -> Result<Self, SearchError> {
        folder.create()?;
        // A whole index is opened without the lock, so that one that is being written serves as it was.
        let state = if let Some(state) = State::open_whole(&folder, embedder.as_deref())? {
            state
        } else {
            let _lock = folder.lock(patience)?;
            State::open(&folder, embedder.as_deref())?
        };
        let shared = Shared {
            folder,
            embedder,
            patience,
            state: RwLock::new(state),
            writing: Mutex::new(()),
            turn: Turn::default(),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
        };
        Ok(Self { shared: Arc::new(shared), worker: Mutex::new(None) })
    }

    /// Compares the index with all documents there are, each given once.
    pub fn stale(
        &self,
        current: impl IntoIterator<Item = (DocumentKey, Fingerprint)>,
    ) -> Result<Stale, SearchError> {
        let (known, view, revision) = {
            let state = self.shared.current()?;
            (state.documents(), state.view(), state.revision())
        };
        let mut stale = Stale { revision, ..Stale::default() };
        let mut here = HashSet::with_capacity(known.len());
        for (key, fingerprint) in current {
            let code = key.code();
            here.insert(code);
            if known.get(&code) != Some(&fingerprint) {
                stale.changed.push(key);
            }
        }
        let is_gone = |code: u64| known.contains_key(&code) && !here.contains(&code);
        if known.keys().any(|code| is_gone(*code)) {
            stale.removed = view.names(is_gone).map_err(|error| self.shared.folder.words_failed(error))?;
        }
        Ok(stale)
    }

    /// Takes in documents as they are now and drops others, in one commit; returns how many were touched.
    ///
    /// Documents are taken one by one, so they may be read as they are asked for, and one that has vanished meanwhile
    /// is simply not given. Those that another process has brought in already are passed over. If this fails, the
    /// index is what it was before, or has been made anew because it was damaged, and holds nothing.
    pub fn apply(
        &self,
        changed: impl IntoIterator<Item = Document>,
        removed: &[DocumentKey],
    ) -> Result<usize, SearchError> {
        self.shared.apply(changed, removed)
    }

    /// Answers a query with what the index holds now. An index whose words cannot be read is made anew, so that
    /// whoever asks once more can fill it.
    pub fn search(&self, query: &Query<'_>) -> Result<Answer, SearchError> {
        self.mended(|| answer::answer(&self.shared, query))
    }

    /// Weighs what the index holds for a question that is put to several of them; [`best_of`] reads the best out.
    pub fn weigh(&self, question: &Question<'_>) -> Result<Weighed, SearchError> {
        self.mended(|| weigh::weigh(&self.shared, question).map(|weighed| weighed.or_silence(question)))
    }

    fn mended<T>(&self, answer: impl FnOnce() -> Result<T, SearchError>) -> Result<T, SearchError> {
        let answer = unless_damaged(|| Ok(answer()))
            .unwrap_or_else(|damage| Err(self.shared.folder.words_failed(damage)));
        if matches!(answer, Err(SearchError::Words { .. })) {
            let _locks = self.shared.lock_to_write()?;
            self.shared.reopen()?;
        }
        answer
    }

    /// Another number each time the words in the folder have become others, within this handle.
    pub fn revision(&self) -> Result<u64, SearchError> {
        Ok(self.shared.current()?.revision())
    }

    /// How many passages have their vector.
    pub fn progress(&self) -> Result<Progress, SearchError> {
        Ok(self.shared.current()?.progress())
    }

    pub fn status(&self) -> Result<Status, SearchError> {
        let (documents, entries, embedded) = {
            let state = self.shared.current()?;
            (state.documents().len(), state.rows().entries, state.progress())
        };
        Ok(Status {
            documents,
            entries,
            embedded,
            embedding: self.is_embedding(),
            bytes: self.shared.folder.bytes()?,
            model_failure: self.shared.failure().map(|error| error.to_string()),
            has_model: self.shared.embedder.is_some(),
        })
    }

    fn worker(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.worker.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(worker) = self.worker().take() {
            // A worker that panicked has nothing left to clean up.
            let _ = worker.join();
        }
    }
}
