//! Who is at the browser: one-time keys, and the sessions that they open. Both are kept in memory only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hewto_http::Principal;
use sha2::{Digest, Sha256};

/// How long a one-time key is good for.
pub(crate) const KEY_LIFETIME: Duration = Duration::from_mins(1);
/// How long somebody stays signed in.
pub(crate) const SESSION_LIFETIME: Duration = Duration::from_hours(12);
/// The most that are kept; beyond that those that end first go.
const MOST: usize = 1_000;

/// Somebody who is signed in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) principal: Arc<Principal>,
    /// What their operations are logged under; not the secret that opens the door.
    pub(crate) id: String,
    until: Instant,
}

impl Session {
    /// How long it lasts from now on.
    pub(crate) fn left(&self, now: Instant) -> Duration {
        self.until.saturating_duration_since(now)
    }
}

type Hash = [u8; 32];
/// Whom a key signs in, and until when.
type Expected = (Arc<Principal>, Instant);

/// Keys and sessions, by the hashes of their secrets: what is compared is not what somebody sent.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    keys: Mutex<HashMap<Hash, Expected>>,
    open: Mutex<HashMap<Hash, Session>>,
}

impl Sessions {
    /// Remembers a key that opens one session.
    pub(crate) fn expect(&self, key: &str, principal: Arc<Principal>, now: Instant) {
        let mut keys = lock(&self.keys);
        keys.retain(|_, (_, until)| *until > now);
        keys.insert(hash(key), (principal, now + KEY_LIFETIME));
    }

    /// Takes a key, once and in time.
    pub(crate) fn redeem(&self, key: &str, now: Instant) -> Option<Arc<Principal>> {
        let (principal, until) = lock(&self.keys).remove(&hash(key))?;
        (until > now).then_some(principal)
    }

    /// Signs somebody in; `secret` is what their cookie will say. Nobody stays longer than what they came with, which
    /// lasts for `left`.
    pub(crate) fn open(
        &self,
        secret: &str,
        id: String,
        principal: Arc<Principal>,
        left: Option<Duration>,
        now: Instant,
    ) {
        let lifetime = left.unwrap_or(SESSION_LIFETIME).min(SESSION_LIFETIME);
        let mut open = lock(&self.open);
        open.retain(|_, session| session.until > now);
        if open.len() >= MOST
            && let Some(first) = open.iter().min_by_key(|(_, session)| session.until).map(|(hash, _)| *hash)
        {
            open.remove(&first);
        }
        open.insert(hash(secret), Session { principal, id, until: now + lifetime });
    }

    pub(crate) fn find(&self, secret: &str, now: Instant) -> Option<Session> {
        lock(&self.open).get(&hash(secret)).filter(|session| session.until > now).cloned()
    }

    /// Signs somebody out.
    pub(crate) fn close(&self, secret: &str) {
        lock(&self.open).remove(&hash(secret));
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.open).len()
    }

    pub(crate) fn tidy(&self, now: Instant) {
        lock(&self.keys).retain(|_, (_, until)| *until > now);
        lock(&self.open).retain(|_, session| session.until > now);
    }
}

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> Arc<Principal> {
        Arc::new(Principal::new("ana", Vec::new()))
    }

    #[test]
    fn a_key_opens_once_and_only_in_time() {
        let sessions = Sessions::default();
        let now = Instant::now();
        sessions.expect("k", ana(), now);
        assert!(sessions.redeem("other", now).is_none());
        assert_eq!(sessions.redeem("k", now).unwrap().name, "ana");
        assert!(sessions.redeem("k", now).is_none(), "a second time");
        sessions.expect("late", ana(), now);
        assert!(sessions.redeem("late", now + KEY_LIFETIME).is_none());
    }

    #[test]
    fn a_session_ends_by_itself_and_when_somebody_leaves() {
        let sessions = Sessions::default();
        let now = Instant::now();
        sessions.open("s", "1".into(), ana(), None, now);
        assert!(sessions.find("s", now + SESSION_LIFETIME / 2).is_some());
        assert!(sessions.find("s", now + SESSION_LIFETIME).is_none());
        sessions.close("s");
        assert!(sessions.find("s", now).is_none());
    }

    #[test]
    fn nobody_stays_longer_than_what_they_came_with() {
        let sessions = Sessions::default();
        let (now, hour) = (Instant::now(), Duration::from_hours(1));
        sessions.open("short", "1".into(), ana(), Some(hour), now);
        assert!(sessions.find("short", now + hour / 2).is_some());
        assert!(sessions.find("short", now + hour).is_none());
        sessions.open("long", "2".into(), ana(), Some(SESSION_LIFETIME * 2), now);
        assert!(sessions.find("long", now + SESSION_LIFETIME).is_none());
        sessions.open("over", "3".into(), ana(), Some(Duration::ZERO), now);
        assert!(sessions.find("over", now).is_none());
    }
}
