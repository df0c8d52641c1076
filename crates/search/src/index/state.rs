//! What is in memory of an index, and whether the folder still says the same.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tantivy::{DocAddress, Searcher};

use super::embedding::Progress;
use super::folder::{Folder, Header};
use crate::document::Fingerprint;
use crate::error::SearchError;
use crate::lexical::{Lexical, View};
use crate::model::Embedder;
use crate::rows::Rows;
use crate::vectors::{Made, News, Place, TokenStore, VectorFile, Vectors};

/// Fewer missing vectors than these are made in the question itself, so nothing has to be made to stand in for them.
const FEW_MISSING: usize = 64;
/// Unused vectors are dropped when there are this many more of them than of used ones.
const SPARE: usize = 1_024;
const SPARE_SHARED: usize = 20_000;

#[derive(Debug)]
pub(super) struct State {
    header: Header,
    lexical: Arc<Lexical>,
    stamp: Vec<u8>,
    revision: u64,
    view: Arc<View>,
    /// By the codes of their names.
    documents: Arc<HashMap<u64, Fingerprint>>,
    vectors: Vectors,
    /// `None` without a model, and in memory.
    file: Option<VectorFile>,
    /// Where there is no file.
    tokens: TokenStore,
    /// Whether the model makes vectors in bulk.
    has_bulk: bool,
    rows: Rows,
    /// The same entries by vectors made in bulk, while most of their own are missing.
    rough: Option<Rows>,
}

/// What looking at the folder brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refreshed {
    Yes,
    /// The word index cannot be read: it has to be made anew, which needs the lock.
    Torn,
}

impl State {
    /// What the folder holds; what does not fit is replaced by nothing. The caller holds the lock.
    pub(super) fn open(folder: &Folder, embedder: Option<&dyn Embedder>) -> Result<Self, SearchError> {
        if let Some(state) = Self::open_whole(folder, embedder)? {
            return Ok(state);
        }
        let (header, lexical) = folder.create_words()?;
        Self::of(folder, embedder, header, lexical)
    }

    /// What the folder holds, if it can be read as it is.
    pub(super) fn open_whole(
        folder: &Folder,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Option<Self>, SearchError> {
        let whole = folder.open_words();
        whole.map(|(header, lexical)| Self::of(folder, embedder, header, lexical)).transpose()
    }

    fn of(
        folder: &Folder,
        embedder: Option<&dyn Embedder>,
        header: Header,
        lexical: Lexical,
    ) -> Result<Self, SearchError> {
        let file = embedder.zip(folder.vectors()).map(|(embedder, place)| VectorFile::new(place, embedder));
        let vectors = Vectors::new(embedder.map_or(0, Embedder::dimensions));
        let view = Arc::new(lexical.view().map_err(|error| folder.words_failed(error))?);
        let mut state = Self {
            header,
            lexical: Arc::new(lexical),
            stamp: Vec::new(),
            revision: 0,
            view,
            documents: Arc::default(),
            vectors,
            file,
            tokens: TokenStore::in_memory(),
            has_bulk: embedder.is_some_and(Embedder::has_bulk),
            rows: Rows::default(),
            rough: None,
        };
        state.take_in(folder)?;
        Ok(state)
    }

    pub(super) fn lexical(&self) -> Arc<Lexical> {
        Arc::clone(&self.lexical)
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    pub(super) fn searcher(&self) -> &Searcher {
        self.view.searcher()
    }

    pub(super) fn documents(&self) -> Arc<HashMap<u64, Fingerprint>> {
        Arc::clone(&self.documents)
    }

    /// Takes the place of a state with this revision: nobody may take the one for the other.
    pub(super) fn after(mut self, revision: u64) -> Self {
        self.revision = revision + 1;
        self
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What tells these words from all others, in any process.
    pub(super) fn words(&self) -> Fingerprint {
        Fingerprint::of(&self.stamp)
    }

    pub(super) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// The tokens of texts, to be read by place.
    pub(super) fn tokens(&self) -> TokenStore {
        self.file.as_ref().map_or_else(|| self.tokens.clone(), VectorFile::tokens)
    }

    /// Where the tokens of an entry lie. Of very many entries none count, since most would have none.
    pub(super) fn tokens_of(&self, address: DocAddress) -> Place {
        if self.ranking().is_bulk() {
            return Place::NOWHERE;
        }
        self.rows.whole(address).map_or(Place::NOWHERE, |row| self.vectors.tokens(row))
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// What is to be made before anything else, because it takes a fraction of the time: what ranks until the rest is there.
    pub(super) fn rough(&self) -> Option<&Rows> {
        self.rough.as_ref()
    }

    /// Whether vectors made in bulk rank for now.
    pub(super) fn is_rough(&self) -> bool {
        self.rough.as_ref().is_some_and(Rows::can_rank)
    }

    /// The vectors that rank.
    pub(super) fn ranking(&self) -> &Rows {
        self.rough.as_ref().filter(|rough| rough.can_rank()).unwrap_or(&self.rows)
    }

    pub(super) fn progress(&self) -> Progress {
        progress(&self.rows)
    }

    /// How far what ranks first has come; nothing where it is there, or not wanted.
    pub(super) fn rough_progress(&self) -> Option<Progress> {
        self.rough.as_ref().map(progress).filter(|rough| rough.done < rough.total)
    }

    /// Whether nothing was written to the folder since. Three small reads.
    pub(super) fn is_current(&self, folder: &Folder) -> Result<bool, SearchError> {
        if !folder.exists() {
            return Err(folder.missing());
        }
        let same_words = folder.header().as_ref() == Some(&self.header)
            && self.lexical.stamp().as_ref() == Some(&self.stamp);
        let same_vectors = self.file.as_ref().is_none_or(VectorFile::is_current);
        Ok(same_words && same_vectors)
    }

    /// Follows the folder.
    pub(super) fn refresh(&mut self, folder: &Folder) -> Result<Refreshed, SearchError> {
        if !folder.exists() {
            return Err(folder.missing());
        }
        if folder.header().as_ref() != Some(&self.header) {
            let Some((header, lexical)) = folder.open_words() else { return Ok(Refreshed::Torn) };
            self.header = header;
            self.lexical = Arc::new(lexical);
        } else if self.lexical.reload().is_err() {
            return Ok(Refreshed::Torn);
        }
        self.take_in(folder)?;
        Ok(Refreshed::Yes)
    }

    fn take_in(&mut self, folder: &Folder) -> Result<(), SearchError> {
        // Before the view: a commit in between is then noticed at the next look.
        let stamp = self.lexical.stamp().ok_or_else(|| folder.missing())?;
        let words_changed = stamp != self.stamp;
        if words_changed {
            let view = self.lexical.view().map_err(|error| folder.words_failed(error))?;
            let documents = view.documents().map_err(|error| folder.words_failed(error))?;
            self.view = Arc::new(view);
            self.documents = Arc::new(documents);
            self.stamp = stamp;
            self.revision += 1;
        }
        let news = match &mut self.file {
            Some(file) => file.refresh(&mut self.vectors).map_err(|error| folder.vectors_failed(error))?,
            None => News::Nothing,
        };
        match news {
            News::Nothing if !words_changed => {}
            News::More if !words_changed => self.find_missing(),
            _ => {
                let joined =
                    Rows::join(self.view.searcher(), &self.vectors, folder.counts_parts(), self.has_bulk);
                self.rows = joined.map_err(|error| folder.words_failed(error))?;
                self.rough = None;
                self.look_for_rough();
            }
        }
        Ok(())
    }

    fn find_missing(&mut self) {
        self.rows.find_missing(&self.vectors);
        self.look_for_rough();
    }

    fn look_for_rough(&mut self) {
        let rows = &self.rows;
        if !self.has_bulk || rows.is_bulk() || rows.can_rank() {
            self.rough = None;
        } else if let Some(rough) = &mut self.rough {
            rough.find_missing(&self.vectors);
        } else {
            // What somebody has made already serves, however few are missing.
            let rough = rows.in_bulk(&self.vectors);
            self.rough = (rows.missing >= FEW_MISSING || rough.can_rank()).then_some(rough);
        }
    }

    /// Writes new vectors and takes them in. The caller holds the lock.
    pub(super) fn add_vectors(&mut self, folder: &Folder, new: &[Made]) -> Result<(), SearchError> {
        let Some(file) = &mut self.file else {
            for Made { key, vector, tokens } in new {
                self.vectors.push(*key, vector.factor, &vector.values, self.tokens.keep(tokens));
            }
            self.find_missing();
            return Ok(());
        };
        file.append(new).map_err(|error| folder.vectors_failed(error))?;
        self.take_in(folder)
    }

    /// Vectors of texts that are gone take room in the file and in memory. The caller holds the lock.
    pub(super) fn drop_unused_vectors(&mut self, folder: &Folder) -> Result<(), SearchError> {
        let Some(file) = &self.file else { return Ok(()) };
        let used: HashSet<u32> = self.rows.used().chain(self.rough.iter().flat_map(Rows::used)).collect();
        // What this index has no use for may be another's.
        let (share, spare) = if folder.shares_vectors() { (8, SPARE_SHARED) } else { (2, SPARE) };
        if self.vectors.len() <= share * used.len() + spare {
            return Ok(());
        }
        let tokens = file.tokens();
        let kept = self.vectors.iter().zip(0_u32..).filter(|(_, row)| used.contains(row));
        let kept = kept
            .map(|(row, _)| (row.key, row.factor, row.values, tokens.read(row.tokens).unwrap_or_default()));
        file.replace(kept).map_err(|error| folder.vectors_failed(error))?;
        self.take_in(folder)
    }
}

fn progress(rows: &Rows) -> Progress {
    Progress { done: rows.passages - rows.missing, total: rows.passages }
}
