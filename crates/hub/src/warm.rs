//! Connections that have just written. The pool hands out the one that has waited longest, whose process has the least of what a
//! write needs in its caches, and asks each that comes back whether it still lives: both take longer than the write itself needs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Postgres;
use sqlx::pool::PoolConnection;

use crate::database::FRESH;

/// So many are kept from others at most.
const MOST: usize = 4;

/// When each was used last, the latest at the end.
type Stack = Vec<(Instant, PoolConnection<Postgres>)>;

/// Connections at hand for whoever writes next; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct WarmConnections(Arc<Mutex<Stack>>);

impl WarmConnections {
    /// The one that was used last, if that was a moment ago.
    pub(crate) fn take(&self) -> Option<PoolConnection<Postgres>> {
        let (used, connection) = self.lock().pop()?;
        (used.elapsed() < FRESH).then_some(connection)
    }

    pub(crate) fn put(&self, connection: PoolConnection<Postgres>) {
        let mut stack = self.lock();
        if stack.len() < MOST {
            stack.push((Instant::now(), connection));
        }
    }

    /// How long ago one was put back; nothing where none is at hand.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        self.lock().last().map(|(used, _)| used.elapsed())
    }

    /// Lets go of those that were not used for a while.
    pub(crate) fn cool(&self) {
        self.lock().retain(|(used, _)| used.elapsed() < FRESH);
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
