//! Who is signed in to the pages of this replica. Kept in memory; nobody's sessions push out somebody else's.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hewto_http::hyper::http::request::Parts;

use super::cookie::{self, Door};
use crate::access::Access;
use crate::directory::Directory;
use crate::error::Result;

/// How long somebody stays signed in.
pub(super) const LASTS: Duration = Duration::from_hours(12);
/// So many are kept in all. When they are taken, the oldest of whoever has most makes room.
const MOST: usize = 10_000;
/// So many are kept of one person, or program; signing in once more ends their oldest.
const MOST_OF_ONE: usize = 32;

/// How often those that are over are forgotten, as long as there is room.
const SWEEP: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub(super) struct Session {
    /// Asked again at each request: a token that was revoked opens nothing any more.
    pub(super) token: Vec<u8>,
    /// Whose it was when it began, by number and by name.
    principal: i64,
    pub(super) name: String,
    pub(super) word: String,
    since: Instant,
    /// Over https browsers themselves hold the cookie to this host.
    door: Door,
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    by_id: HashMap<String, Session>,
    /// The ids of each principal's, the oldest first.
    of: HashMap<i64, VecDeque<String>>,
    /// When those that are over were last looked for.
    swept: Option<Instant>,
}

impl Sessions {
    /// Signs somebody in; the id of their session, for the cookie.
    pub(super) fn begin(&self, token: Vec<u8>, access: &Access, door: Door, now: Instant) -> String {
        let random = || format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        let (principal, name) = (access.principal, access.name.clone());
        let (id, session) = (random(), Session { token, principal, name, word: random(), since: now, door });
        let mut open = self.lock();
        // Not each time: with many people there is much to look through.
        let is_time = open.swept.is_none_or(|at| now.saturating_duration_since(at) >= SWEEP);
        if is_time || open.by_id.len() >= MOST {
            open.forget_old(now);
        }
        if open.of.get(&principal).is_some_and(|theirs| theirs.len() >= MOST_OF_ONE) {
            open.end_oldest(principal);
        }
        if open.by_id.len() >= MOST
            && let Some(most) = open.whoever_has_most()
        {
            open.end_oldest(most);
        }
        open.of.entry(principal).or_default().push_back(id.clone());
        open.by_id.insert(id.clone(), session);
        id
    }

    /// The session that a browser's cookie names, by the door that it was opened by.
    pub(super) fn named_by(&self, parts: &Parts) -> Option<(String, Session)> {
        let (door, id) = cookie::sent(parts)?;
        let session = self.find(&id, Instant::now()).filter(|session| session.door == door)?;
        Some((id, session))
    }

    fn find(&self, id: &str, now: Instant) -> Option<Session> {
        self.lock().by_id.get(id).filter(|session| !session.is_over(now)).cloned()
    }

    /// Signs somebody out.
    pub(super) fn end(&self, id: &str) {
        self.lock().end(id);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody at a page that stays open, for as long as they are signed in.
#[derive(Debug, Clone)]
pub(crate) struct Presence {
    sessions: Arc<Sessions>,
    id: String,
}

impl Presence {
    pub(super) fn new(sessions: &Arc<Sessions>, id: &str) -> Self {
        Self { sessions: Arc::clone(sessions), id: id.to_owned() }
    }

    /// What is open to them now; `None` once they have left, or their token is over.
    pub(crate) async fn access(&self, directory: &Directory) -> Result<Option<Arc<Access>>> {
        match self.sessions.find(&self.id, Instant::now()) {
            Some(session) => directory.by_token(&session.token).await,
            None => Ok(None),
        }
    }
}

impl Session {
    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= LASTS
    }
}

impl Open {
    fn end(&mut self, id: &str) {
        let Some(session) = self.by_id.remove(id) else { return };
        if let Some(theirs) = self.of.get_mut(&session.principal) {
            theirs.retain(|one| one != id);
            if theirs.is_empty() {
                self.of.remove(&session.principal);
            }
        }
    }

    fn end_oldest(&mut self, principal: i64) {
        if let Some(oldest) = self.of.get(&principal).and_then(VecDeque::front).cloned() {
            self.end(&oldest);
        }
    }

    /// All last equally long, so that whatever is over stands first.
    fn forget_old(&mut self, now: Instant) {
        let Self { by_id, of, swept } = self;
        *swept = Some(now);
        of.retain(|_, theirs| {
            while theirs.front().is_some_and(|id| by_id.get(id).is_none_or(|one| one.is_over(now))) {
                if let Some(id) = theirs.pop_front() {
                    by_id.remove(&id);
                }
            }
            !theirs.is_empty()
        });
    }

    /// Of several who have equally many, the one whose oldest began first.
    fn whoever_has_most(&self) -> Option<i64> {
        let began = |ids: &VecDeque<String>| Some(self.by_id.get(ids.front()?)?.since);
        let most = self.of.iter().max_by_key(|(_, ids)| (ids.len(), std::cmp::Reverse(began(ids))));
        most.map(|(principal, _)| *principal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(principal: i64) -> Access {
        Access { principal, name: format!("person {principal}"), everywhere: None, repos: Vec::new() }
    }

    #[test]
    fn whoever_signs_in_again_and_again_ends_their_own_oldest_sessions_and_nobody_elses() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let begin = |who| sessions.begin(b"token".to_vec(), &person(who), Door::Plain, now);
        let others = begin(1);
        let theirs: Vec<String> = (0..MOST_OF_ONE * 3).map(|_| begin(2)).collect();
        assert!(sessions.find(&others, now).is_some(), "somebody else stays signed in");
        let open: Vec<bool> = theirs.iter().map(|id| sessions.find(id, now).is_some()).collect();
        assert_eq!(open.iter().filter(|is_open| **is_open).count(), MOST_OF_ONE);
        assert!(open[MOST_OF_ONE * 2..].iter().all(|is_open| *is_open), "the newest are those that stay");
    }

    #[test]
    fn when_all_places_are_taken_whoever_has_most_makes_room_for_who_has_none() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let begin = |who| sessions.begin(b"token".to_vec(), &person(who), Door::Plain, now);
        let first: Vec<String> = (0..MOST_OF_ONE).map(|_| begin(0)).collect();
        let single: Vec<String> =
            (0..MOST - MOST_OF_ONE).map(|at| begin(1 + i64::try_from(at).unwrap())).collect();
        let newcomer = begin(-1);
        assert!(sessions.find(&newcomer, now).is_some());
        assert!(sessions.find(&first[0], now).is_none(), "the oldest of whoever has most is over");
        assert!(first[1..].iter().chain(&single).all(|id| sessions.find(id, now).is_some()));
        assert_eq!(sessions.lock().by_id.len(), MOST);
    }

    #[test]
    fn a_session_ends_after_its_time_and_when_somebody_leaves() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let id = sessions.begin(b"token".to_vec(), &person(1), Door::Plain, now);
        assert!(sessions.find(&id, now + LASTS / 2).is_some());
        assert!(sessions.find(&id, now + LASTS).is_none());
        sessions.begin(b"token".to_vec(), &person(2), Door::Plain, now + LASTS);
        assert_eq!(sessions.lock().by_id.len(), 1, "what is over is forgotten");
        let id = sessions.begin(b"token".to_vec(), &person(1), Door::Plain, now + LASTS);
        sessions.end(&id);
        assert!(sessions.find(&id, now + LASTS).is_none());
        assert_eq!(sessions.lock().of.len(), 1, "nobody is remembered who is gone");
    }
}
