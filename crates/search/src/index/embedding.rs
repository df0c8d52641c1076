//! Giving passages their vectors, in small steps that others can follow and interrupt.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::state::State;
use super::{Index, Shared};
use crate::document::Kind;
use crate::error::SearchError;
use crate::lexical::StoredEntry;
use crate::model::{Embedder, Embedding};
use crate::passage;
use crate::rows::Rows;
use crate::vectors::{Made, Quantized};

/// How far the work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub done: usize,
    pub total: usize,
}

/// What becomes of vectors that cannot be made while the caller waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// They are made in the background, and none in the call if it cannot make all of them.
    Background,
    /// As many as there is time for are made; the rest is for the next call.
    NextCall,
}

/// How far the work has come, for whoever decides whether to go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Headway {
    all: Progress,
    /// Of what ranks first, while that is made.
    rough: Option<Progress>,
}

/// How fast it goes.
#[derive(Debug, Default)]
struct Pace {
    /// Whether it is rough, and what was done before its first step.
    begun: Option<(bool, usize)>,
    /// When its first step was done, and what was done then: that step loads the model, so only the later ones tell.
    first: Option<(Duration, usize)>,
}

impl Pace {
    /// How long all of what is being made will have taken, as far as can be told.
    fn needed(&mut self, now: &Headway, spent: Duration) -> Duration {
        let (is_rough, Progress { done, total }) = (now.rough.is_some(), now.rough.unwrap_or(now.all));
        if self.begun.is_none_or(|(kind, _)| kind != is_rough) {
            *self = Self { begun: Some((is_rough, done)), first: None };
        }
        let needed = match self.first {
            Some((until, before)) if done > before => {
                let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                spent
                    + (spent.saturating_sub(until) / count(done - before)).saturating_mul(count(total - done))
            }
            _ => spent,
        };
        if self.begun.is_some_and(|(_, before)| done > before) {
            self.first.get_or_insert((spent, done));
        }
        needed
    }
}

/// How long that caller waits for somebody who is making them already.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// As long where meaning ranks without them: a few vectors after an edit are made in that time.
pub(super) const BRIEF_PATIENCE: Duration = Duration::from_millis(100);
/// Vectors between two looks at whether to go on, while somebody waits.
pub(super) const STEP: usize = 32;
/// As many where nobody does: more of like length, less to note down.
pub(super) const LONG_STEP: usize = 256;
/// So many times as many in bulk, where each takes a fraction of the time.
const IN_BULK: usize = 4;

impl Index {
    /// Gives passages without a vector theirs: within the call where that takes no longer than this, as far as the
    /// first of them tell.
    pub fn catch_up(&self, within: Duration, leftover: Leftover) -> Result<Progress, SearchError> {
        let (before, can_rank) = {
            let state = self.shared.current()?;
            (state.progress(), state.ranking().can_rank())
        };
        let is_done = self.shared.embedder.is_none() || before.total == before.done;
        // Whoever can be answered does not wait for what comes anyway.
        if is_done || can_rank && self.is_embedding() {
            return Ok(before);
        }
        let (started, mut pace) = (Instant::now(), Pace::default());
        let mut go_on = |now: Headway| {
            let spent = started.elapsed();
            let expected = pace.needed(&now, spent);
            let needed = if leftover == Leftover::Background { expected } else { spent };
            needed <= within
        };
        let patience = if can_rank { BRIEF_PATIENCE } else { PATIENCE }.min(within);
        let made = self.shared.embed_missing(patience, STEP, &mut go_on)?;
        let progress = made.map_or_else(|| self.progress(), Ok)?;
        if progress.done < progress.total && leftover == Leftover::Background {
            self.start_worker();
        }
        Ok(progress)
    }

    /// Gives every passage its vector before it returns. `report` hears of the progress and ends the work by
    /// returning false; what was made until then is kept.
    pub fn embed_all(&self, mut report: impl FnMut(Progress) -> bool) -> Result<Progress, SearchError> {
        loop {
            let made = self.shared.embed_missing(PATIENCE, LONG_STEP, &mut |now| report(now.all))?;
            if let Some(progress) = made {
                return Ok(progress);
            }
            // Another process is at it, and this is done when that one is.
            let progress = self.progress()?;
            if !report(progress) {
                return Ok(progress);
            }
        }
    }

    fn start_worker(&self) {
        let mut worker = self.worker();
        if worker.as_ref().is_some_and(|worker| !worker.is_finished()) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let spawned = std::thread::Builder::new().name("hewto-embed".to_owned()).spawn(move || {
            // What went wrong is in `failure` or will be met again by the next call; there is nobody to tell here.
            let _ = shared.embed_missing(Duration::ZERO, LONG_STEP, &mut |_| true);
        });
        *worker = spawned.ok();
    }

    pub(super) fn is_embedding(&self) -> bool {
        self.worker().as_ref().is_some_and(|worker| !worker.is_finished())
    }
}

impl Shared {
    /// Makes every missing vector. `None` when somebody else is at it and stays at it for so long.
    pub(super) fn embed_missing(
        &self,
        patience: Duration,
        step: usize,
        report: &mut dyn FnMut(Headway) -> bool,
    ) -> Result<Option<Progress>, SearchError> {
        let Some(embedder) = &self.embedder else { return Ok(Some(self.current()?.progress())) };
        let until = Instant::now() + patience;
        let Some(_turn) = self.turn.take(patience) else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        let Some(_embedding) = self.folder.embedding_lock(left)? else { return Ok(None) };
        loop {
            let (batch, in_bulk, now) = {
                let state = self.current()?;
                let (batch, in_bulk) = self.next_batch(&state, step, embedder.has_bulk())?;
                (batch, in_bulk, Headway { all: state.progress(), rough: state.rough_progress() })
            };
            let progress = now.all;
            if batch.is_empty() || self.stop.load(Ordering::Relaxed) || !report(now) {
                return Ok(Some(progress));
            }
            let vectors = self.embed(embedder.as_ref(), &batch, in_bulk)?;
            let _locks = (self.lock_to_write()?, self.folder.vectors_lock(self.patience)?);
            self.write_state().add_vectors(&self.folder, &vectors)?;
        }
    }

    fn embed(
        &self,
        embedder: &dyn Embedder,
        batch: &[Missing],
        in_bulk: bool,
    ) -> Result<Vec<Made>, SearchError> {
        let texts: Vec<&str> = batch.iter().map(|missing| missing.text.as_str()).collect();
        let made = if in_bulk { embedder.embed_in_bulk(&texts) } else { embedder.embed(&texts) };
        match made {
            Ok(embeddings) => {
                self.set_failure(None);
                let made = |(missing, embedding): (&Missing, Embedding)| Made {
                    key: missing.key,
                    vector: Quantized::of(&embedding.vector),
                    // Parts are compared by their vectors alone.
                    tokens: embedding
                        .tokens
                        .filter(|_| missing.is_whole)
                        .map_or_else(Vec::new, |t| t.packed()),
                };
                Ok(batch.iter().zip(embeddings).map(made).collect())
            }
            Err(error) => {
                self.set_failure(Some(error.clone()));
                Err(error.into())
            }
        }
    }

    /// What is made next, and whether in bulk: first what can rank soonest.
    fn next_batch(
        &self,
        state: &State,
        step: usize,
        has_bulk: bool,
    ) -> Result<(Vec<Missing>, bool), SearchError> {
        if let Some(rough) = state.rough() {
            let batch = self.batch_of(state, rough, IN_BULK * step, true)?;
            if !batch.is_empty() {
                return Ok((batch, true));
            }
        }
        let in_bulk = state.rows().is_bulk() && has_bulk;
        let step = if in_bulk { IN_BULK * step } else { step };
        Ok((self.batch_of(state, state.rows(), step, in_bulk)?, in_bulk))
    }

    fn batch_of(
        &self,
        state: &State,
        rows: &Rows,
        step: usize,
        in_bulk: bool,
    ) -> Result<Vec<Missing>, SearchError> {
        let mut batch = Vec::new();
        let mut seen = HashSet::new();
        for (address, kind) in rows.incomplete() {
            let stored = state.lexical().fields().stored(state.searcher(), address);
            let Some(entry) = stored.map_err(|error| self.folder.words_failed(error))? else { continue };
            for missing in missing(entry, kind, rows.parts, in_bulk) {
                let known = |key| state.vectors().contains(key);
                if !known(missing.key) && seen.insert(missing.key) {
                    batch.push(missing);
                }
            }
            if batch.len() >= step {
                break;
            }
        }
        Ok(batch)
    }
}

/// A passage that may lack its vector.
struct Missing {
    /// Of the vector that is to be made.
    key: u64,
    text: String,
    is_whole: bool,
}

fn missing(entry: StoredEntry, kind: Kind, parts: usize, in_bulk: bool) -> Vec<Missing> {
    if in_bulk {
        let (whole, text) = entry.gist(kind);
        return vec![Missing { key: passage::bulk_key(passage::key(&whole)), text, is_whole: true }];
    }
    let of = |(place, text): (usize, String)| {
        let key = passage::key(&text);
        Missing { key, text, is_whole: place == 0 }
    };
    entry.passages(kind, parts).into_iter().enumerate().map(of).collect()
}
