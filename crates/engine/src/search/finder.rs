//! The index of an open workspace: opened once, with one model, and brought up to date before each question.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use hewto_search::{Embedder, Index, IndexPlace, Leftover, Model, SearchError, bundled_model};
use hewto_store::{Context, shared_vectors};

use super::care::{IndexCare, ModelChoice};
use super::documents::Sources;
use super::follow::{Followed, Open};
use super::noted::FirstLook;
use super::served::{BUILDING, NO_INDEX, NO_INDEX_IN_MEMORY, Served, not_current, words};
use crate::error::{Key, Result};
use crate::workspace::Workspace;

/// How long a question waits for another process that writes the index, before the index as it was serves.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a question waits for vectors; with the words of a small workspace that is less than two seconds.
const WAITED_FOR: Duration = Duration::from_millis(1_500);
/// No more documents than these are taken in while somebody waits: about a second's work.
const FEW_DOCUMENTS: usize = 1_000;

/// What a workspace keeps for its searches.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    model: ModelChoice,
    care: IndexCare,
    open: Mutex<Option<Open>>,
    building: Mutex<Option<JoinHandle<()>>>,
    noting: Mutex<Option<JoinHandle<()>>>,
    /// What answers from memory while the index on the disk cannot be written.
    unwritten: OnceLock<Box<Self>>,
}

/// Whether what the files look like is noted beside the index before anybody gets an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noting {
    Now,
    Later,
}

impl Finder {
    pub(crate) fn new(model: ModelChoice) -> Self {
        Self { model, ..Self::default() }
    }

    pub(crate) fn with_care(self, care: IndexCare) -> Self {
        Self { care, ..self }
    }

    pub(crate) fn care(&self) -> IndexCare {
        self.care
    }

    pub(crate) fn model(&self) -> &ModelChoice {
        &self.model
    }

    /// Who wants none on the disk is not told to make one.
    pub(super) fn refuses_without(&self) -> bool {
        self.care.refuses_without && !self.care.in_memory
    }

    /// Whether there is an index, whatever its state.
    pub(super) fn exists(&self, ws: &Workspace) -> bool {
        if self.care.in_memory {
            lock(&self.open).is_some()
        } else {
            Index::exists(&ws.store().machine().search_index())
        }
    }

    /// The index as it is, if there is one.
    pub(super) fn open(&self, ws: &Workspace) -> Result<Arc<Index>> {
        if !self.exists(ws) {
            *lock(&self.open) = None;
            return Err(missing(ws));
        }
        let mut open = lock(&self.open);
        if let Some(open) = open.as_ref() {
            return Ok(Arc::clone(&open.index));
        }
        Ok(Arc::clone(&open.insert(Open::new(self.open_index(ws)?)).index))
    }

    /// What answers a question now: the index, as current as it can be within moments, or the documents themselves.
    pub(super) fn serve(&self, ws: &Workspace, ctx: &Context) -> Result<Served> {
        if self.is_building() {
            return Ok(words(BUILDING));
        }
        if self.refuses_without() && !self.exists(ws) {
            return Err(missing(ws));
        }
        if !self.exists(ws) && ws.store().snapshot(ctx)?.specs.len() > FEW_DOCUMENTS {
            return Ok(self.later(ws));
        }
        let noting = if self.care.in_background { Noting::Later } else { Noting::Now };
        match self.refresh(ws, ctx, FEW_DOCUMENTS, noting)? {
            (index, Ok(Followed::TooMany { documents })) => {
                let Served::Words { mode } = self.later(ws) else { return Ok(words(BUILDING)) };
                // New, or made anew because it was torn: what little it holds is no answer.
                let lacks_most = index.status()?.documents * 2 < documents;
                Ok(if lacks_most {
                    words(&mode)
                } else {
                    Served::Index { index, trouble: Some(not_current(&mode)) }
                })
            }
            (index, Ok(Followed::Done(_))) => {
                let trouble = self.catch_up(&index)?;
                Ok(Served::Index { index, trouble })
            }
            // An index that cannot be written, on a full disk say, does not know what the files say: they are asked themselves.
            (_, Err(error)) if error.key == Key::IndexFailed && !self.refuses_without() => {
                let trouble = format!("the index cannot be written: {}", error.full_message());
                Ok(self
                    .serve_from_memory(ws, ctx, &trouble)?
                    .unwrap_or_else(|| words(&format!("lexical ({trouble})"))))
            }
            (index, Err(error)) if error.is_about_the_index() => {
                Ok(Served::Index { index, trouble: Some(not_current(&error.full_message())) })
            }
            (_, Err(error)) => Err(error),
        }
    }

    /// An index in memory instead of one that cannot be written, if it holds no more than one question can wait for.
    pub(super) fn serve_from_memory(
        &self,
        ws: &Workspace,
        ctx: &Context,
        trouble: &str,
    ) -> Result<Option<Served>> {
        if self.care.in_memory || ws.store().snapshot(ctx)?.specs.len() > FEW_DOCUMENTS {
            return Ok(None);
        }
        let care = IndexCare { in_memory: true, in_background: false, ..self.care };
        let finder = || Box::new(Self::new(self.model.clone()).with_care(care));
        Ok(match self.unwritten.get_or_init(finder).serve(ws, ctx)? {
            Served::Index { index, trouble: None } => {
                Some(Served::Index { index, trouble: Some(trouble.to_owned()) })
            }
            _ => None,
        })
    }

    /// The index, brought up to date with the files, however long that takes.
    pub(super) fn bring_up_to_date(&self, ws: &Workspace, ctx: &Context) -> Result<(Arc<Index>, usize)> {
        let (index, followed) = self.refresh(ws, ctx, usize::MAX, Noting::Now)?;
        match followed? {
            Followed::Done(touched) => Ok((index, touched)),
            Followed::TooMany { .. } => Ok((index, 0)),
        }
    }

    /// The index, and what came of bringing it up to date: an error leaves it as it was.
    fn refresh(
        &self,
        ws: &Workspace,
        ctx: &Context,
        most: usize,
        noting: Noting,
    ) -> Result<(Arc<Index>, Result<Followed>)> {
        let exists = self.exists(ws);
        // Whoever comes while another looks has to wait for that look, or would not know what it found.
        let mut open = lock(&self.open);
        if !exists && !self.care.in_memory {
            // One whose folder was deleted is no longer open.
            *open = None;
        }
        let (open, sources) = if let Some(open) = open.as_mut() {
            if noting == Noting::Later && self.is_looking_ahead() && open.is_still_as_noted(ws, ctx) {
                return Ok((Arc::clone(&open.index), Ok(Followed::Done(0))));
            }
            (open, Sources::look(ws, ctx))
        } else {
            if exists {
                self.load_model();
            }
            let (index, first) = self.open_and_look(ws, ctx);
            let open = open.insert(Open::new(index?));
            match first {
                Ok(FirstLook::AsNoted(note)) => {
                    if open.takes_the_word_of(note) {
                        return Ok((Arc::clone(&open.index), Ok(Followed::Done(0))));
                    }
                    (open, Sources::look(ws, ctx))
                }
                Ok(FirstLook::Anew(sources)) => (open, Ok(sources)),
                Err(error) => (open, Err(error)),
            }
        };
        let followed = sources.and_then(|sources| {
            let followed = open.follow(ws, ctx, &sources, most)?;
            if noting == Noting::Now && !self.care.in_memory {
                open.note(ws, ctx, &sources);
            }
            Ok(followed)
        });
        Ok((Arc::clone(&open.index), followed))
    }

    /// Once a server has answered: looks at what the first question took a note's word for, and notes what has changed since.
    pub(super) fn look_ahead(&self, ws: &Workspace) {
        // Whoever is at it now does the same.
        let Ok(open) = self.open.try_lock() else { return };
        let is_wanted = self.care.in_background
            && !self.care.in_memory
            && open.as_ref().is_some_and(Open::has_something_to_note);
        drop(open);
        let mut noting = lock(&self.noting);
        if is_wanted && noting.as_ref().is_none_or(JoinHandle::is_finished) {
            let ws = ws.clone();
            let spawned = std::thread::Builder::new().name("hewto-note".to_owned()).spawn(move || {
                let ctx = Context::background();
                // The first reads the files and the second sets watches, neither with the index locked: questions that come meanwhile
                // go by the note. What goes wrong here will go wrong for the next question, which says so.
                let _ = ws.store().snapshot(&ctx).and_then(|_| ws.store().snapshot(&ctx));
                let _ = ws.finder().refresh(&ws, &ctx, FEW_DOCUMENTS, Noting::Now);
            });
            *noting = spawned.ok();
        }
    }

    /// Closes the index, so that the next question opens it anew.
    pub(super) fn close(&self) {
        *lock(&self.open) = None;
    }

    /// Makes missing vectors, or says why they cannot be kept.
    fn catch_up(&self, index: &Index) -> Result<Option<String>> {
        let leftover = if self.care.in_background { Leftover::Background } else { Leftover::NextCall };
        match index.catch_up(WAITED_FOR, leftover) {
            // The answer itself tells when there is no model.
            Ok(_) | Err(SearchError::Model(_)) => Ok(None),
            Err(error @ SearchError::Missing { .. }) => Err(error.into()),
            Err(error) => Ok(Some(not_current(&crate::Error::from(error).full_message()))),
        }
    }

    /// Leaves what takes long to the background, or to who has the time; words serve until then.
    fn later(&self, ws: &Workspace) -> Served {
        if !self.care.in_background {
            return words(if self.care.in_memory { NO_INDEX_IN_MEMORY } else { NO_INDEX });
        }
        let mut building = lock(&self.building);
        if building.as_ref().is_none_or(JoinHandle::is_finished) {
            let ws = ws.clone();
            let spawned = std::thread::Builder::new().name("hewto-index".to_owned()).spawn(move || {
                // What goes wrong here will go wrong for the next question, which says so.
                if let Ok((index, _)) = ws.finder().bring_up_to_date(&ws, &Context::background()) {
                    let _ = index.catch_up(Duration::ZERO, Leftover::Background);
                }
            });
            *building = spawned.ok();
        }
        words(BUILDING)
    }

    fn is_looking_ahead(&self) -> bool {
        lock(&self.noting).as_ref().is_some_and(|thread| !thread.is_finished())
    }

    fn is_building(&self) -> bool {
        lock(&self.building).as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// The first look at the files takes as long as reading the index, and loading the model nearly so; none of them needs
    /// another.
    fn open_and_look(&self, ws: &Workspace, ctx: &Context) -> (Result<Index>, Result<FirstLook>) {
        let look = || {
            if self.care.in_memory {
                Sources::look(ws, ctx).map(FirstLook::Anew)
            } else {
                FirstLook::at(ws, ctx)
            }
        };
        hewto_parallel::join(|| self.open_index(ws), look)
    }

    /// Begins to load what the model needs for questions, and nothing else: most searches never ask it for more. Who needs it waits for
    /// it, and is told what went wrong.
    fn load_model(&self) {
        if !matches!(self.model, ModelChoice::Bundled) {
            return;
        }
        if let Some(model) = bundled_model() {
            // Without a thread it is loaded by the question.
            let loading = std::thread::Builder::new().name("hewto-model".to_owned());
            let _ = loading.spawn(move || model.prepare_for_questions());
        }
    }

    /// The index in its folder; an empty one where there is none.
    fn open_index(&self, ws: &Workspace) -> Result<Index> {
        if self.care.in_memory {
            return Ok(Index::in_memory(self.embedder()?)?);
        }
        let folder = match ws.store().machine().make_search_index() {
            Ok(folder) => folder,
            // One that is there can be read where nothing may be written.
            Err(error) if is_read_only(&error.source) && self.exists(ws) => {
                ws.store().machine().search_index()
            }
            Err(error) => {
                let mut error = crate::Error::from(error);
                error.key = Key::IndexFailed;
                return Err(error);
            }
        };
        let vectors = shared_vectors(ws.root());
        let place =
            IndexPlace { vectors: vectors.as_deref(), patience: PATIENCE, ..IndexPlace::new(&folder) };
        Ok(Index::open_at(&place, self.embedder()?)?)
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

fn is_read_only(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn missing(ws: &Workspace) -> crate::Error {
    let folder = ws.places().search_index.as_str().into();
    SearchError::Missing { folder }.into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
