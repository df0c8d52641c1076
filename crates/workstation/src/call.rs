//! What a call brings along: whether it may go on, until when, and who wants to hear of its progress.
//!
//! Two closures and an instant, so that any caller's context fits. Every loop, wait and child process looks at it.

use std::fmt;
use std::time::Instant;

use hewto_core::interrupt::Interrupted;

/// One call's right to go on. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    is_cancelled: &'c (dyn Fn() -> bool + Sync),
    progress: &'c (dyn Fn(&str) + Sync),
    deadline: Option<Instant>,
    commit: &'c (dyn Fn() -> Result<(), Interrupted> + Sync),
}

impl<'c> Call<'c> {
    /// A call that nobody cancels and nobody watches.
    pub fn unbounded() -> Call<'static> {
        Call { is_cancelled: &|| false, progress: &|_| {}, deadline: None, commit: &|| Ok(()) }
    }

    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    #[must_use]
    pub fn with_cancellation(mut self, is_cancelled: &'c (dyn Fn() -> bool + Sync)) -> Self {
        self.is_cancelled = is_cancelled;
        self
    }

    /// Asks this before something is changed for good; from then on the caller waits for the answer.
    #[must_use]
    pub fn with_commit_point(mut self, commit: &'c (dyn Fn() -> Result<(), Interrupted> + Sync)) -> Self {
        self.commit = commit;
        self
    }

    #[must_use]
    pub fn with_progress(mut self, progress: &'c (dyn Fn(&str) + Sync)) -> Self {
        self.progress = progress;
        self
    }

    /// Whether the call may go on.
    pub fn check(&self) -> Result<(), Interrupted> {
        Interrupted::check((self.is_cancelled)(), self.deadline, Instant::now)
    }

    /// The last look before something is changed for good.
    pub(crate) fn commit(&self) -> Result<(), Interrupted> {
        self.check()?;
        (self.commit)()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Tells whoever listens what is going on.
    pub(crate) fn report(&self, line: &str) {
        (self.progress)(line);
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_stops_when_it_is_cancelled_or_late() {
        assert_eq!(Call::unbounded().check(), Ok(()));
        let late = Call::unbounded().with_deadline(Some(Instant::now()));
        assert_eq!(late.check(), Err(Interrupted::TimedOut));
        let cancelled = late.with_cancellation(&|| true);
        assert_eq!(cancelled.check(), Err(Interrupted::Cancelled));
    }
}
