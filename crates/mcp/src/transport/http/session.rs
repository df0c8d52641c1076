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
/// So many are kept. A client may have as many as are still free; beyond that its own oldest one makes room.
const MOST: usize = 2_048;

/// Why no session can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    ForClient,
    ForAll,
}

/// One client's session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) audit: AuditLog,
    /// Whose sessions are counted together.
    client: String,
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
        client: String,
        incoming: mpsc::Sender<Incoming>,
        streams: Arc<Streams>,
        running: Running,
    ) -> Self {
        Self { audit, client, incoming, streams, used: Mutex::new(Instant::now()), _running: running }
    }

    fn principal(&self) -> Option<&str> {
        self.audit.identity().principal.as_deref()
    }

    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    /// Makes room for one more of this client, by ending another of the same client if that must be: nobody loses a
    /// session because of somebody else.
    pub(super) fn make_room(&self, client: &str) -> Result<(), Full> {
        let mut by_id = self.lock();
        let free = MOST.saturating_sub(by_id.len());
        let theirs = || by_id.iter().filter(|(_, session)| session.client == client);
        let count = theirs().count();
        if count < free {
            return Ok(());
        }
        let idle = theirs().filter(|(_, session)| !session.streams.has_listeners());
        let oldest = idle.min_by_key(|(_, session)| session.used()).map(|(id, _)| id.clone());
        match oldest {
            Some(id) => {
                by_id.remove(&id);
                Ok(())
            }
            None if count == 0 => Err(Full::ForAll),
            None => Err(Full::ForClient),
        }
    }

    pub(super) fn begin(&self, session: Arc<Session>) {
        self.lock().insert(session.audit.identity().session_id.clone(), session);
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
