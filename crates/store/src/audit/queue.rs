//! Between the calls and the thread that writes the logs: many put, one takes.
//!
//! Waking a thread costs more than a record, so whoever puts wakes the taker only where it must: when it sleeps without
//! anything to do, when it has gathered enough, or when somebody waits for the log.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many may wait; beyond that a call waits for the disk rather than lose one.
const MOST_WAITING: usize = 4096;
/// The same for what they take up in memory.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// So many are taken at once, without waiting for more.
const ENOUGH: usize = 256;
/// How long one waits for others, unless somebody waits for it.
const GATHERING: Duration = Duration::from_millis(2);

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    work: Condvar,
    room: Condvar,
}

struct State<T> {
    waiting: Vec<T>,
    bytes: usize,
    /// Whether the taker sleeps until the first one comes.
    is_idle: bool,
    is_urgent: bool,
    is_closed: bool,
}

/// Whether somebody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    Soon,
    Now,
}

/// Nobody takes any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closed;

struct CloseAtEnd<'q, T>(&'q Queue<T>);

impl<T> Drop for CloseAtEnd<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let state =
            State { waiting: Vec::new(), bytes: 0, is_idle: false, is_urgent: false, is_closed: false };
        Self { state: Mutex::new(state), work: Condvar::new(), room: Condvar::new() }
    }

    /// Adds one that takes up so many bytes; refused once it is closed.
    pub(super) fn put(&self, item: T, bytes: usize, urgency: Urgency) -> Result<(), Closed> {
        let mut state = self.lock();
        while (state.waiting.len() >= MOST_WAITING || state.bytes > MOST_BYTES) && !state.is_closed {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return Err(Closed);
        }
        state.waiting.push(item);
        state.bytes += bytes;
        state.is_urgent |= urgency == Urgency::Now;
        if state.is_idle || urgency == Urgency::Now || state.waiting.len() == ENOUGH {
            self.work.notify_one();
        }
        Ok(())
    }

    /// What waits, and what comes soon after; `None` once it is closed and empty.
    pub(super) fn take(&self) -> Option<Vec<T>> {
        let mut state = self.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return None;
            }
            state.is_idle = true;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_idle = false;
        let end = Instant::now() + GATHERING;
        while !state.is_urgent && !state.is_closed && state.waiting.len() < ENOUGH {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let taken: Vec<T> = if state.waiting.len() > ENOUGH {
            // Those that stay are few enough not to be counted again.
            state.bytes = 0;
            state.waiting.drain(..ENOUGH).collect()
        } else {
            state.is_urgent = false;
            state.bytes = 0;
            std::mem::take(&mut state.waiting)
        };
        self.room.notify_all();
        Some(taken)
    }

    /// Nothing is put any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.work.notify_one();
        self.room.notify_all();
    }

    /// Closes it when the taker ends, also by a panic: nobody may wait for one who is gone.
    pub(super) fn close_at_end(&self) -> impl Drop + '_ {
        CloseAtEnd(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("waiting", &self.lock().waiting.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn everything_put_by_many_is_taken_once_and_in_the_order_of_each() {
        const EACH: usize = 10_000;
        let queue = Arc::new(Queue::new());
        let putters: Vec<_> = (0..4)
            .map(|putter| {
                let queue = Arc::clone(&queue);
                thread::spawn(move || {
                    for item in 0..EACH {
                        queue.put((putter, item), 1, Urgency::Soon).unwrap();
                    }
                })
            })
            .collect();
        let taker = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                let mut next = [0; 4];
                while let Some(taken) = queue.take() {
                    assert!(taken.len() <= ENOUGH);
                    for (putter, item) in taken {
                        assert_eq!(item, next[putter]);
                        next[putter] += 1;
                    }
                }
                next
            }
        });
        for putter in putters {
            putter.join().unwrap();
        }
        queue.close();
        assert_eq!(taker.join().unwrap(), [EACH; 4]);
    }

    #[test]
    fn what_waits_when_it_is_closed_is_still_taken() {
        let queue = Queue::new();
        queue.put(1, 1, Urgency::Soon).unwrap();
        queue.put(2, 1, Urgency::Now).unwrap();
        queue.close();
        assert_eq!(queue.put(3, 1, Urgency::Now), Err(Closed));
        assert_eq!(queue.take(), Some(vec![1, 2]));
        assert_eq!(queue.take(), None);
    }
}
