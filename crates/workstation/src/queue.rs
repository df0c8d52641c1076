//! Turns for work that only so many may do at once. Each client has a line; the lines take turns.
//!
//! One client that asks for much waits behind itself, not others behind it. A line that is too long is refused, so
//! that nobody waits without hope.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::call::Call;
use crate::error::{Error, Result};

/// How often somebody who waits looks whether they still may.
const TICK: Duration = Duration::from_millis(20);

/// A number of places and the lines before them.
#[derive(Debug)]
pub struct FairQueue {
    places: usize,
    longest: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    next_ticket: u64,
    /// The line that is next stands first.
    lines: VecDeque<Line>,
}

#[derive(Debug)]
struct Line {
    client: String,
    tickets: VecDeque<u64>,
}

/// A place; dropping it gives it to the next.
#[derive(Debug)]
pub struct Turn<'q>(&'q FairQueue);

impl FairQueue {
    /// `places` at once, and at most `longest` waiting.
    pub fn new(places: usize, longest: usize) -> Self {
        Self { places: places.max(1), longest, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for a place, as long as the call may.
    pub fn enter(&self, client: &str, call: &Call<'_>) -> Result<Turn<'_>> {
        let mut state = self.lock();
        if state.taken < self.places && state.lines.is_empty() {
            state.taken += 1;
            return Ok(Turn(self));
        }
        if state.waiting() >= self.longest {
            return Err(Error::refused("busy", "too many calls are waiting already")
                .hint("wait for some of them to end, then try again"));
        }
        let ticket = state.join(client);
        loop {
            if state.taken < self.places && state.is_next(ticket) {
                state.leave(ticket);
                state.rotate();
                state.taken += 1;
                // There may be another place for the one behind.
                self.changed.notify_all();
                return Ok(Turn(self));
            }
            if let Err(why) = call.check() {
                state.leave(ticket);
                self.changed.notify_all();
                return Err(why.into());
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.tickets.len()).sum()
    }

    fn join(&mut self, client: &str) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        match self.lines.iter_mut().find(|line| line.client == client) {
            Some(line) => line.tickets.push_back(ticket),
            None => self.lines.push_back(Line { client: client.to_owned(), tickets: [ticket].into() }),
        }
        ticket
    }

    fn is_next(&self, ticket: u64) -> bool {
        self.lines.front().and_then(|line| line.tickets.front()) == Some(&ticket)
    }

    fn leave(&mut self, ticket: u64) {
        for line in &mut self.lines {
            line.tickets.retain(|own| *own != ticket);
        }
        self.lines.retain(|line| !line.tickets.is_empty());
    }

    /// After a turn the line goes behind the others.
    fn rotate(&mut self) {
        if self.lines.len() > 1 {
            self.lines.rotate_left(1);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().taken -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Instant;

    use super::*;

    /// Waits until so many stand in line.
    fn until_waiting(queue: &FairQueue, count: usize) {
        while queue.lock().waiting() < count {
            std::thread::yield_now();
        }
    }

    #[test]
    fn no_more_than_the_places_are_taken() {
        let queue = FairQueue::new(3, 100);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for client in 0..20 {
                let (queue, now, most) = (&queue, &now, &most);
                scope.spawn(move || {
                    let _turn = queue.enter(&client.to_string(), &Call::unbounded()).unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(most.into_inner() <= 3);
        assert_eq!(queue.lock().taken, 0);
    }

    #[test]
    fn a_client_that_asks_for_much_does_not_hold_up_another() {
        let queue = FairQueue::new(1, 100);
        let (served, order) = mpsc::channel();
        let first = queue.enter("greedy", &Call::unbounded()).unwrap();
        std::thread::scope(|scope| {
            for (index, client) in ["greedy", "greedy", "greedy", "modest"].into_iter().enumerate() {
                let (queue, served) = (&queue, served.clone());
                scope.spawn(move || {
                    let _turn = queue.enter(client, &Call::unbounded()).unwrap();
                    served.send(client).unwrap();
                });
                until_waiting(queue, index + 1);
            }
            drop(first);
        });
        let order: Vec<&str> = order.try_iter().collect();
        assert_eq!(order, ["greedy", "modest", "greedy", "greedy"]);
    }

    #[test]
    fn whoever_gives_up_leaves_the_line() {
        let queue = FairQueue::new(1, 1);
        let _turn = queue.enter("a", &Call::unbounded()).unwrap();
        let late = Call::unbounded().with_deadline(Some(Instant::now()));
        assert_eq!(queue.enter("b", &late).unwrap_err().key, "timeout");
        assert_eq!(queue.lock().waiting(), 0);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let queue = FairQueue::new(1, 0);
        let _turn = queue.enter("a", &Call::unbounded()).unwrap();
        assert_eq!(queue.enter("b", &Call::unbounded()).unwrap_err().key, "busy");
    }
}
