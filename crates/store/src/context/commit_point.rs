//! The moment from which a call can no longer be called off (D-12).
//!
//! Whoever commits passes it, whoever gives a call up closes it, and only one of them comes first. So an answer that says
//! "out of time" means that nothing was changed and nothing will be; past the point the answer is success, however late.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use hewto_core::interrupt::Interrupted;

const OPEN: u8 = 0;
const PASSED: u8 = 1;
const CLOSED: u8 = 2;

/// Shared by all clones of a call's context.
#[derive(Debug, Clone, Default)]
pub struct CommitPoint(Arc<AtomicU8>);

impl CommitPoint {
    /// Goes past it, unless the call was given up.
    pub(crate) fn pass(&self) -> Result<(), Interrupted> {
        match self.0.compare_exchange(OPEN, PASSED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) | Err(PASSED) => Ok(()),
            Err(_) => Err(Interrupted::TimedOut),
        }
    }

    /// Gives the call up; false when it is past the point, and its answer has to be waited for.
    pub fn close(&self) -> bool {
        !matches!(self.0.compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire), Err(PASSED))
    }

    pub fn is_passed(&self) -> bool {
        self.0.load(Ordering::Acquire) == PASSED
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_of_committing_and_giving_up_comes_first() {
        let point = CommitPoint::default();
        assert!(point.close() && point.close());
        assert_eq!(point.pass(), Err(Interrupted::TimedOut));
        let point = CommitPoint::default();
        assert_eq!((point.pass(), point.pass()), (Ok(()), Ok(())));
        assert!(!point.close() && point.is_passed());
    }
}
