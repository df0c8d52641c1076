//! Runs that outlive the call that asked for them: started once, waited for by many, cancelled by who started them.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_store::{Cancellation, Context};

use super::id;
use crate::Progress;
use crate::view::CheckRunView;

/// How often a waiting call looks whether it may still wait.
const TICK: Duration = Duration::from_millis(50);
/// How many ended jobs are remembered, so that they can be asked for again.
const REMEMBERED: usize = 64;

/// The jobs of this process.
#[derive(Debug, Default)]
pub(crate) struct Jobs(Mutex<HashMap<String, Arc<Job>>>);

/// Some checks that are run one after the other.
#[derive(Debug)]
pub(crate) struct Job {
    pub(super) id: String,
    /// Who may cancel it.
    pub(super) client: String,
    /// The promises that somebody wants to know about.
    pub(super) refs: Vec<String>,
    pub(super) cancellation: Cancellation,
    began: Instant,
    state: Mutex<JobState>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone)]
pub(super) struct JobState {
    pub(super) progress: Option<Progress>,
    pub(super) done: Vec<CheckRunView>,
    pub(super) ended: bool,
}

impl Jobs {
    pub(super) fn add(&self, job: Arc<Job>) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while jobs.len() >= REMEMBERED {
            let ended = jobs.values().filter(|job| job.state().ended).min_by_key(|job| job.began);
            let Some(oldest) = ended.map(|job| job.id.clone()) else { break };
            jobs.remove(&oldest);
        }
        jobs.insert(job.id.clone(), job);
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

impl Job {
    pub(super) fn new(ctx: &Context, refs: &[String]) -> Self {
        Self {
            id: id::later_than(ctx, None),
            client: ctx.client().to_owned(),
            refs: refs.to_vec(),
            cancellation: Cancellation::default(),
            began: Instant::now(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    pub(super) fn state(&self) -> JobState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn tell(&self, progress: Progress) {
        self.change(|state| state.progress = Some(progress));
    }

    pub(super) fn add(&self, view: CheckRunView) {
        self.change(|state| state.done.push(view));
    }

    pub(super) fn end(&self) {
        self.change(|state| state.ended = true);
    }

    fn change(&self, edit: impl FnOnce(&mut JobState)) {
        edit(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Waits until the job has ended, the time is over or the caller is gone. Leaving does not end the job.
    pub(super) fn wait(&self, ctx: &Context, until: Option<Instant>) -> JobState {
        let mut told = None;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.progress != told {
                told.clone_from(&state.progress);
                if let Some(progress) = told.clone() {
                    drop(state);
                    ctx.report(progress);
                    state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            }
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            if state.ended || is_late || ctx.check().is_err() {
                return state.clone();
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
