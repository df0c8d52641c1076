//! Sessions of an MCP server: in memory only, gone with the process (seed 003, 3.1).
//!
//! An id cannot be guessed, belongs to one repository and one principal, and lives for 30 minutes after its last
//! use. Whoever holds a session works alone on it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use hewto_core::decision::interview::Interview;
use hewto_store::Context;
use jiff::{SignedDuration, Timestamp};

use super::failure;
use crate::error::Result;

/// How long a session lives after its last use.
pub(super) const LIFETIME: SignedDuration = SignedDuration::from_mins(30);
/// How long an expired session is still known to have expired.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);
/// The most that are kept; beyond that the ones that end first go.
const MOST: usize = 1000;
/// How long a second call on one session naps before it looks again.
const NAP: Duration = Duration::from_millis(5);

/// All sessions of a server.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: Mutex<HashMap<String, Arc<Session>>>,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) root: PathBuf,
    principal: Option<String>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    expires: Timestamp,
    /// `None` once it is completed or expired.
    interview: Option<Interview>,
}

impl Sessions {
    /// Keeps a new interview and gives its id.
    pub(super) fn keep(&self, ctx: &Context, root: PathBuf, interview: Interview) -> String {
        let id = format!("sess-{}", ctx.uuid().simple());
        let session = Session {
            root,
            principal: ctx.caller().principal.clone(),
            state: Mutex::new(State { expires: ctx.now() + LIFETIME, interview: Some(interview) }),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        forget(&mut known, ctx.now());
        known.insert(id.clone(), Arc::new(session));
        id
    }

    /// The session of this id, unless it belongs to somebody else.
    pub(super) fn find(&self, ctx: &Context, id: &str) -> Result<Arc<Session>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let session = known.get(id).filter(|session| session.principal == ctx.caller().principal);
        session.cloned().ok_or_else(|| failure::session_not_found(id))
    }
}

impl Session {
    /// Works on the session alone. The interview is put back unless the work says that it is over; on a failure it
    /// is put back as the work left it.
    pub(super) fn work<T>(
        &self,
        ctx: &Context,
        id: &str,
        work: impl FnOnce(&mut Interview) -> Result<(Next, T)>,
    ) -> Result<T> {
        let mut state = loop {
            match self.state.try_lock() {
                Ok(state) => break state,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    ctx.check()?;
                    std::thread::sleep(NAP);
                }
            }
        };
        if ctx.now() >= state.expires {
            state.interview = None;
            return Err(failure::session_expired(id));
        }
        let Some(mut interview) = state.interview.take() else { return Err(failure::session_not_found(id)) };
        state.expires = ctx.now() + LIFETIME;
        // A panic in the work must not lose the session: the interview goes back before anything else happens.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut interview)));
        match outcome {
            Ok(Ok((Next::Over, value))) => Ok(value),
            Ok(Ok((Next::GoesOn, value))) => {
                state.interview = Some(interview);
                Ok(value)
            }
            Ok(Err(error)) => {
                state.interview = Some(interview);
                Err(error)
            }
            Err(panic) => {
                state.interview = Some(interview);
                drop(state);
                std::panic::resume_unwind(panic)
            }
        }
    }
}

/// Whether a session has a next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    GoesOn,
    Over,
}

/// Drops what expired long ago, and the oldest ones when there are too many.
fn forget(known: &mut HashMap<String, Arc<Session>>, now: Timestamp) {
    let expiry = |session: &Session| {
        let state = session.state.try_lock().ok();
        state.map_or(Timestamp::MAX, |state| state.expires)
    };
    known.retain(|_, session| now < expiry(session).saturating_add(REMEMBERED).unwrap_or(Timestamp::MAX));
    while known.len() >= MOST {
        let oldest = known.iter().min_by_key(|(_, session)| expiry(session)).map(|(id, _)| id.clone());
        match oldest {
            Some(id) => known.remove(&id),
            None => break,
        };
    }
}
