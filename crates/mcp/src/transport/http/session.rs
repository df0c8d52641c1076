//! Sessions of the old era: begun by `initialize`, named by a header, ended by DELETE or by silence.
//!
//! A session belongs to one workspace and one principal; to anybody else it does not exist. What a client says in it
//! goes to one service, which remembers what `initialize` agreed on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hewto_call::AuditLog;
use tokio::sync::mpsc;

use super::link::{Incoming, Streams};
use super::mount::Running;

/// A session that is not used for so long ends.
const IDLE_TIME: Duration = Duration::from_hours(2);
/// So many are kept; then the one that was not used for the longest time makes room.
const MOST: usize = 2_048;

/// One client's session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) audit: AuditLog,
    pub(super) incoming: mpsc::Sender<Incoming>,
    pub(super) streams: Arc<Streams>,
    used: Mutex<Instant>,
    /// The service goes with the session.
    _running: Running,
}

/// The sessions of one workspace.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_id: Mutex<HashMap<String, Arc<Session>>>,
}

impl Session {
    pub(super) fn new(
        audit: AuditLog,
        incoming: mpsc::Sender<Incoming>,
        streams: Arc<Streams>,
        running: Running,
    ) -> Self {
        Self { audit, incoming, streams, used: Mutex::new(Instant::now()), _running: running }
    }

    fn principal(&self) -> Option<&str> {
        self.audit.identity().principal.as_deref()
    }

    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    pub(super) fn begin(&self, session: Arc<Session>) {
        let mut by_id = self.lock();
        if by_id.len() >= MOST {
            let idle = by_id.iter().filter(|(_, session)| !session.streams.has_listeners());
            let oldest = idle.min_by_key(|(_, session)| session.used()).map(|(id, _)| id.clone());
            if let Some(id) = oldest {
                by_id.remove(&id);
            }
        }
        by_id.insert(session.audit.identity().session_id.clone(), session);
    }

    /// The session of this name, if it is this principal's.
    pub(super) fn find(&self, id: &str, principal: &str) -> Option<Arc<Session>> {
        let by_id = self.lock();
        let session = by_id.get(id).filter(|session| session.principal() == Some(principal))?;
        *session.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(Arc::clone(session))
    }

    /// Ends a session; false when there is none of this principal's.
    pub(super) fn end(&self, id: &str, principal: &str) -> bool {
        let mut by_id = self.lock();
        let is_theirs = by_id.get(id).is_some_and(|session| session.principal() == Some(principal));
        is_theirs && by_id.remove(id).is_some()
    }

    /// Ends those that nobody used for long.
    pub(super) fn expire(&self, now: Instant) {
        self.lock().retain(|_, session| {
            session.streams.has_listeners() || now.saturating_duration_since(session.used()) < IDLE_TIME
        });
    }

    /// Ends the streams on which sessions hear what belongs to none of their requests.
    pub(super) fn hang_up(&self) {
        for session in self.lock().values() {
            session.streams.close_common();
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
