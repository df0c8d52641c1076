//! Taking turns within a process, for a while.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What one thread does at a time.
#[derive(Debug, Default)]
pub(super) struct Turn {
    is_taken: Mutex<bool>,
    freed: Condvar,
}

/// Whoever holds this is at it.
#[derive(Debug)]
pub(super) struct Taken<'t>(&'t Turn);

impl Turn {
    /// `None` when another thread stays at it for so long.
    pub(super) fn take(&self, patience: Duration) -> Option<Taken<'_>> {
        let is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(is_taken, patience, |is_taken| *is_taken);
        let (mut is_taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!std::mem::replace(&mut *is_taken, true)).then(|| Taken(self))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.0.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_turn_and_the_next_gets_it_when_that_one_is_done() {
        let turn = Turn::default();
        let first = turn.take(Duration::ZERO);
        assert!(first.is_some() && turn.take(Duration::ZERO).is_none());
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turn.take(Duration::from_mins(1)).is_some());
            drop(first);
            assert!(second.join().unwrap());
        });
        assert!(turn.take(Duration::ZERO).is_some(), "whoever is done gives it back");
    }
}
