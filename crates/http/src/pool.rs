//! Something of which there is only so much, shared by many holders: places for requests, bytes in memory.
//!
//! Nobody may hold more than is still free. One holder alone gets half of it, two a third each, and however many take
//! all they can, somebody who holds nothing finds room (the dynamic thresholds of switches that share one buffer).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(crate) struct Pool {
    capacity: u64,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    in_all: u64,
    by_holder: HashMap<Arc<str>, u64>,
}

/// What somebody holds of a pool; given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    pool: Arc<Pool>,
    holder: Arc<str>,
    amount: u64,
}

/// Why there is nothing to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// This holder has as much as it may have.
    ForHolder,
    ForAll,
}

impl Pool {
    pub(crate) fn new(capacity: u64) -> Arc<Self> {
        Arc::new(Self { capacity, held: Mutex::default() })
    }

    pub(crate) fn take(self: &Arc<Self>, holder: &str, amount: u64) -> Result<Share, Full> {
        let mut share = Share { pool: Arc::clone(self), holder: holder.into(), amount: 0 };
        share.grow(amount)?;
        Ok(share)
    }

    pub(crate) fn in_use(&self) -> u64 {
        self.lock().in_all
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes more, all of it or nothing.
    pub(crate) fn grow(&mut self, amount: u64) -> Result<(), Full> {
        let mut held = self.pool.lock();
        let theirs = held.by_holder.get(&self.holder).copied().unwrap_or(0);
        let free = self.pool.capacity - held.in_all;
        if theirs + amount > free {
            return Err(if theirs == 0 { Full::ForAll } else { Full::ForHolder });
        }
        held.in_all += amount;
        *held.by_holder.entry(Arc::clone(&self.holder)).or_default() += amount;
        self.amount += amount;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.pool.lock();
        held.in_all -= self.amount;
        if let Some(theirs) = held.by_holder.get_mut(&self.holder) {
            *theirs -= self.amount;
            if *theirs == 0 {
                held.by_holder.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes one by one, as many as there are to be had.
    fn take_all(pool: &Arc<Pool>, holder: &str) -> Vec<Share> {
        std::iter::from_fn(|| pool.take(holder, 1).ok()).collect()
    }

    #[test]
    fn whoever_takes_all_they_can_leaves_room_for_who_has_nothing() {
        let pool = Pool::new(1_024);
        let first = take_all(&pool, "first");
        assert_eq!(first.len(), 512);
        assert_eq!(pool.take("first", 1).unwrap_err(), Full::ForHolder);
        let second = take_all(&pool, "second");
        assert_eq!(second.len(), 256);
        let others: Vec<_> = (0..9).map(|at| take_all(&pool, &format!("other {at}"))).collect();
        assert!(others.iter().all(|shares| !shares.is_empty()), "each of eleven has some");
        assert_eq!(pool.take("twelfth", 2).unwrap_err(), Full::ForAll);
        drop((first, second, others));
        assert_eq!(pool.in_use(), 0);
        assert!(pool.lock().by_holder.is_empty(), "nobody is remembered who is gone");
    }

    #[test]
    fn a_share_grows_whole_or_not_at_all() {
        let pool = Pool::new(100);
        let mut share = pool.take("a", 30).unwrap();
        assert_eq!(share.grow(41), Err(Full::ForHolder));
        assert_eq!(share.grow(40), Ok(()));
        assert_eq!(pool.in_use(), 70);
        assert_eq!(pool.take("b", 31).unwrap_err(), Full::ForAll);
        drop(share);
        assert_eq!(pool.in_use(), 0);
    }
}
