//! What the handle of an index and its worker share: the folder, the state in memory, and the locks around both.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};
use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use super::folder::Folder;
use super::state::{Refreshed, State};
use super::turn::Turn;
use crate::cache::Lock;
use crate::document::{Document, DocumentKey};
use crate::error::{SearchError, WordsError};
use crate::model::{Embedder, ModelError};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) folder: Folder,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) patience: Duration,
    pub(super) state: RwLock<State>,
    /// One writer in this process; the lock file keeps out those of others.
    pub(super) writing: Mutex<()>,
    /// One thread of this process makes vectors.
    pub(super) turn: Turn,
    pub(super) stop: AtomicBool,
    /// Why the model gave no vectors when it was last asked.
    pub(super) failure: Mutex<Option<ModelError>>,
}

impl Shared {
    pub(super) fn apply(
        &self,
        changed: impl IntoIterator<Item = Document>,
        removed: &[DocumentKey],
    ) -> Result<usize, SearchError> {
        let _writing = self.writing();
        let _lock = self.folder.lock(self.patience)?;
        let (lexical, known) = {
            let state = self.current_locked()?;
            (state.lexical(), state.documents())
        };
        let mut changed = changed
            .into_iter()
            .filter(|document| known.get(&document.key.code()) != Some(&document.fingerprint));
        let removed: Vec<DocumentKey> =
            removed.iter().filter(|key| known.contains_key(&key.code())).cloned().collect();
        let touched = match lexical.commit(&mut changed, &removed) {
            Ok(touched) => touched,
            Err(error) => {
                let error = WordsError::from(error);
                // One that was damaged while it was open is made anew: whoever asks once more can fill it.
                if !error.is_refused() && !self.folder.is_in_memory() && self.folder.open_words().is_none() {
                    self.reopen()?;
                }
                return Err(SearchError::Words { path: self.folder.path().to_owned(), source: error });
            }
        };
        if touched > 0 {
            let mut state = self.write_state();
            state.refresh(&self.folder)?;
            let _vectors = self.folder.vectors_lock(self.patience)?;
            state.drop_unused_vectors(&self.folder)?;
        }
        Ok(touched)
    }

    /// The state, up to date with the folder; one whose words were torn is empty.
    pub(super) fn current(&self) -> Result<RwLockReadGuard<'_, State>, SearchError> {
        self.bring_up_to_date()?;
        Ok(self.read_state())
    }

    /// The state for a question: where nobody else writes it is what it is. An index that had to be made anew just now holds
    /// nothing yet, so it is not asked: whoever asks once more can fill it first.
    pub(super) fn to_be_asked(&self) -> Result<RwLockReadGuard<'_, State>, SearchError> {
        if !self.folder.is_written_here_only() && self.bring_up_to_date()? == Refreshed::Torn {
            return Err(self.folder.words_torn());
        }
        Ok(self.read_state())
    }

    fn bring_up_to_date(&self) -> Result<Refreshed, SearchError> {
        if self.read_state().is_current(&self.folder)? {
            return Ok(Refreshed::Yes);
        }
        let refreshed = self.write_state().refresh(&self.folder)?;
        if refreshed == Refreshed::Torn {
            let _locks = self.lock_to_write()?;
            self.reopen()?;
        }
        Ok(refreshed)
    }

    /// As [`Shared::current`], for one who holds both locks.
    pub(super) fn current_locked(&self) -> Result<RwLockReadGuard<'_, State>, SearchError> {
        if !self.folder.exists() || self.write_state().refresh(&self.folder)? == Refreshed::Torn {
            self.reopen()?;
        }
        Ok(self.read_state())
    }

    pub(super) fn reopen(&self) -> Result<(), SearchError> {
        let mut state = self.write_state();
        let revision = state.revision();
        *state = State::open(&self.folder, self.embedder.as_deref())?.after(revision);
        Ok(())
    }

    pub(super) fn lock_to_write(&self) -> Result<(MutexGuard<'_, ()>, Option<Lock>), SearchError> {
        let writing = self.writing();
        Ok((writing, self.folder.lock(self.patience)?))
    }

    pub(super) fn failure(&self) -> Option<ModelError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_failure(&self, failure: Option<ModelError>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    pub(super) fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
