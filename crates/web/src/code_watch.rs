//! Whether code or tests have changed, asked for as often as it is cheap: a walk over all files is not.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A walk takes no more than this part of the time.
const SHARE_OF_TIME: u32 = 200;
/// Nobody reads faster.
const BETWEEN_WALKS: Duration = Duration::from_millis(400);

/// The last walk, for as long as another one would cost too much.
#[derive(Debug, Default)]
pub(crate) struct CodeWatch(Mutex<Option<Walk>>);

#[derive(Debug, Clone, Copy)]
struct Walk {
    mark: u64,
    ended: Instant,
    took: Duration,
}

impl CodeWatch {
    /// The mark of the files; `walk` tells it anew where it is time.
    pub(crate) fn mark(&self, walk: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *last
            && known.ended.elapsed() < BETWEEN_WALKS.max(known.took * SHARE_OF_TIME)
        {
            return Some(known.mark);
        }
        let began = Instant::now();
        let mark = walk()?;
        *last = Some(Walk { mark, ended: Instant::now(), took: began.elapsed() });
        Some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_that_failed_tells_nothing_and_one_that_is_fresh_is_not_made_again() {
        let watch = CodeWatch::default();
        assert_eq!(watch.mark(|| None), None);
        assert_eq!(watch.mark(|| Some(1)), Some(1));
        let began = Instant::now();
        let again = watch.mark(|| Some(2));
        assert!(again == Some(1) || began.elapsed() >= BETWEEN_WALKS, "{again:?}");
    }
}
