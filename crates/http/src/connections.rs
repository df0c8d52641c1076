//! Which connections are open, and who has to go when there are too many.
//!
//! A connection is idle while no request of it is being answered; that includes one that has sent nothing yet, or half a
//! head. An address may have as many connections as are still free. Whoever comes beyond that takes the place of the one
//! that has been idle for longest: of the same address if that has its share, else of anybody. A client that works is
//! never cut off for another, and silence holds no door shut.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::address::AddressKey;

/// So many more are let in when all are at work, to be told so and to ask how the server is.
const SPARE: usize = 64;

/// The open connections.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    by_id: HashMap<u64, Arc<Connection>>,
    by_address: HashMap<AddressKey, usize>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Connection {
    id: u64,
    address: AddressKey,
    /// Cancelled when it has to make room.
    pub(crate) evicted: CancellationToken,
    /// Let in only to ask how the server is.
    pub(crate) is_spare: bool,
    at_work: Mutex<AtWork>,
}

#[derive(Debug)]
struct AtWork {
    requests: usize,
    idle_since: Instant,
}

/// A connection that is registered until this is dropped.
#[derive(Debug)]
pub(crate) struct Registered {
    all: Arc<Connections>,
    pub(crate) connection: Arc<Connection>,
}

/// A request of a connection that is being answered.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Connection>);

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Lets one in, perhaps in the place of another; `None` when all are at work and the spare ones are taken too.
    pub(crate) fn admit(self: &Arc<Self>, address: AddressKey) -> Option<Registered> {
        let mut open = self.lock();
        let theirs = open.by_address.get(&address).copied().unwrap_or(0);
        let free = self.most.saturating_sub(open.by_id.len());
        if theirs + 1 > free {
            let is_theirs = |connection: &Connection| theirs > 0 && connection.address == address;
            if !open.evict(is_theirs) && free == 0 {
                open.evict(|_| true);
            }
        }
        let is_spare = open.by_id.len() >= self.most;
        if open.by_id.len() >= self.most + SPARE {
            return None;
        }
        open.next += 1;
        let connection = Arc::new(Connection {
            id: open.next,
            address,
            evicted: CancellationToken::new(),
            is_spare,
            at_work: Mutex::new(AtWork { requests: 0, idle_since: Instant::now() }),
        });
        open.by_id.insert(connection.id, Arc::clone(&connection));
        *open.by_address.entry(address).or_default() += 1;
        Some(Registered { all: Arc::clone(self), connection })
    }

    /// Ends the one that has been idle for longest; false when all are at work.
    pub(crate) fn evict_one(&self) -> bool {
        self.lock().evict(|_| true)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().by_id.len()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Ends the idle one that has been so for longest; false when there is none.
    fn evict(&mut self, may_go: impl Fn(&Connection) -> bool) -> bool {
        let idle = self.by_id.values().filter(|connection| may_go(connection));
        let idle = idle.filter_map(|connection| Some((connection.idle_since()?, connection.id)));
        let Some((_, id)) = idle.min() else { return false };
        if let Some(connection) = self.forget(id) {
            connection.evicted.cancel();
        }
        true
    }

    fn forget(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.by_id.remove(&id)?;
        if let Some(theirs) = self.by_address.get_mut(&connection.address) {
            *theirs -= 1;
            if *theirs == 0 {
                self.by_address.remove(&connection.address);
            }
        }
        Some(connection)
    }
}

impl Connection {
    /// Since when no request of it is being answered; `None` while one is.
    fn idle_since(&self) -> Option<Instant> {
        let at_work = self.lock();
        (at_work.requests == 0).then_some(at_work.idle_since)
    }

    /// Marks that a request is being answered, until the last byte of the answer.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.lock().requests += 1;
        Busy(Arc::clone(self))
    }

    fn lock(&self) -> MutexGuard<'_, AtWork> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut at_work = self.0.lock();
        at_work.requests -= 1;
        at_work.idle_since = Instant::now();
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.all.lock().forget(self.connection.id);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn address(last: u8) -> AddressKey {
        IpAddr::from([192, 0, 2, last]).into()
    }

    #[test]
    fn silence_makes_room_and_work_does_not() {
        let all = Connections::new(8);
        let working = all.admit(address(1)).unwrap();
        let _busy = working.connection.busy();
        let idle: Vec<_> = (0..3).map(|_| all.admit(address(1)).unwrap()).collect();
        assert!(idle.iter().all(|idle| !idle.connection.evicted.is_cancelled()));
        let _fifth = all.admit(address(1)).unwrap();
        assert!(idle[0].connection.evicted.is_cancelled(), "the one that was silent for longest goes");
        assert!(!working.connection.evicted.is_cancelled());
        let other = all.admit(address(2)).unwrap();
        assert!(!other.connection.is_spare);
        assert!(!idle[1].connection.evicted.is_cancelled(), "there was room for another address");
    }

    #[test]
    fn when_all_work_a_few_are_let_in_to_be_told_so_and_then_nobody() {
        let all = Connections::new(2);
        let working: Vec<_> = (1..=2).map(|last| all.admit(address(last)).unwrap()).collect();
        let _busy: Vec<_> = working.iter().map(|working| working.connection.busy()).collect();
        let mut spare = Vec::new();
        for _ in 0..SPARE {
            let registered = all.admit(address(3)).unwrap();
            assert!(registered.connection.is_spare);
            let busy = registered.connection.busy();
            spare.push((registered, busy));
        }
        assert!(all.admit(address(4)).is_none());
        drop(working);
        drop(spare);
        assert_eq!(all.count(), 0);
    }
}
