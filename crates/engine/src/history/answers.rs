//! What git said before, so that it is not asked again.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hewto_store::RefsStamp;

/// Answers by their questions.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<HashMap<String, Box<dyn Any + Send>>>);

/// What git said while the branches were these.
#[derive(Debug)]
pub(super) struct OfBranches {
    then: RefsStamp,
    said: Arc<Answers>,
}

impl Answers {
    pub(super) fn find<T: Clone + 'static>(&self, question: &str) -> Option<Answer<T>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(question).and_then(|answer| answer.downcast_ref::<Answer<T>>()).cloned()
    }

    pub(super) fn keep<T: Send + 'static>(&self, question: String, answer: Option<T>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(question, Box::new(Answer(answer)));
    }
}

/// What git said; nothing where it could not.
#[derive(Clone)]
pub(super) struct Answer<T>(pub(super) Option<T>);

impl OfBranches {
    /// What was said while the branches were these; nothing yet where one has moved.
    pub(super) fn while_these(kept: &mut Option<Self>, now: RefsStamp) -> Arc<Answers> {
        if kept.as_ref().is_none_or(|kept| kept.then != now) {
            *kept = None;
        }
        Arc::clone(&kept.get_or_insert_with(|| Self { then: now, said: Arc::default() }).said)
    }
}
