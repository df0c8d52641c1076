//! Where a writer waits for word of its commit. Each has a place of its own, so that nobody is woken for another one's.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{CommitError, Committed};

/// Held by whoever waits and by whoever works for it.
#[derive(Debug, Default)]
pub(crate) struct Ticket {
    outcome: Mutex<Option<Result<Committed, CommitError>>>,
    told: Condvar,
}

impl Ticket {
    #[cfg(all(test, feature = "fault-injection"))]
    pub(crate) fn take(&self) -> Option<Result<Committed, CommitError>> {
        self.outcome().take()
    }

    /// Says what became of the commit; only the first word counts.
    pub(crate) fn tell(&self, outcome: Result<Committed, CommitError>) {
        self.outcome().get_or_insert(outcome);
        self.told.notify_all();
    }

    /// Waits for word, for so long.
    pub(crate) fn wait(&self, longest: Duration) -> Option<Result<Committed, CommitError>> {
        let waited = self.told.wait_timeout_while(self.outcome(), longest, |outcome| outcome.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }

    fn outcome(&self) -> MutexGuard<'_, Option<Result<Committed, CommitError>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
