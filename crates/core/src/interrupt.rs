//! Why a call stops before its work is done (D-12): it was cancelled, or its time is over.

use std::time::Instant;

use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Interrupted {
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the call ran out of time")]
    TimedOut,
}

impl Interrupted {
    /// Whether a call may go on. The clock is looked at only where there is a deadline.
    pub fn check(
        is_cancelled: bool,
        deadline: Option<Instant>,
        now: impl FnOnce() -> Instant,
    ) -> Result<(), Self> {
        if is_cancelled {
            return Err(Self::Cancelled);
        }
        match deadline {
            Some(deadline) if now() >= deadline => Err(Self::TimedOut),
            _ => Ok(()),
        }
    }
}
