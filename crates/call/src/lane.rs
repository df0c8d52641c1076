//! Turns for calls (D-12): each lane has so many places, each client a line before it, and the lines take turns.
//!
//! Calls of one kind share a lane, so a slow one never delays a fast one of another kind, and a client that asks for
//! much waits behind itself. Waiting costs no thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Which queue a call waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Looks at one item of the workspace, which is over at once.
    ReadItem,
    /// Reads the workspace.
    Read,
    /// Changes the workspace; writers wait for its lock, and must not keep readers from their turn.
    Write,
    /// Looks at a file or a folder.
    StatPath,
    /// Walks a tree.
    Walk,
    /// Asks git.
    Git,
    /// Changes a file.
    WriteFile,
    /// Changes a tree, or what git keeps.
    WriteTree,
    /// Builds, tests or runs a command.
    Run,
}

impl Lane {
    const ALL: [Self; 9] = [
        Self::ReadItem,
        Self::Read,
        Self::Write,
        Self::StatPath,
        Self::Walk,
        Self::Git,
        Self::WriteFile,
        Self::WriteTree,
        Self::Run,
    ];

    /// Whether such a call is as a rule over before another thread could be woken for it. It must not stream progress:
    /// whatever it wakes itself waits on its thread until it is over.
    pub(crate) fn is_brief(self) -> bool {
        matches!(self, Self::ReadItem | Self::StatPath)
    }

    /// How many calls are at work at the same time on a machine with so many cores.
    fn places(self, cores: usize) -> usize {
        match self {
            // Reads are arithmetic once the disk's cache is warm. More of them than the cores can serve answer none earlier,
            // and take the time from whoever holds the lock that all writers wait for.
            Self::ReadItem | Self::Read => (2 * cores).clamp(4, 16),
            // Writers that wait together share what makes their commits durable (docs/adr/0019).
            Self::Write => 32,
            Self::StatPath => 16,
            Self::Git => 8,
            Self::Walk | Self::WriteFile | Self::WriteTree | Self::Run => 4,
        }
    }
}

/// All lanes of a server.
#[derive(Debug)]
pub(crate) struct Lanes([Arc<Queue>; Lane::ALL.len()]);

/// A place; dropping it gives it to the next.
#[derive(Debug)]
pub(crate) struct Turn(Option<Arc<Queue>>);

#[derive(Debug)]
struct Queue {
    places: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    /// The line that is next stands first.
    lines: VecDeque<Line>,
}

#[derive(Debug)]
struct Line {
    client: String,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Lane::ALL.map(|lane| Queue::new(lane.places(cores))))
    }

    /// Waits for a place. Whoever stops waiting leaves the line.
    pub(crate) async fn enter(&self, lane: Lane, client: &str) -> Turn {
        self.0[lane as usize].enter(client).await
    }
}

impl Queue {
    fn new(places: usize) -> Arc<Self> {
        Arc::new(Self { places, state: Mutex::default() })
    }

    async fn enter(self: &Arc<Self>, client: &str) -> Turn {
        let turn = {
            let mut state = self.lock();
            if state.taken < self.places {
                state.taken += 1;
                return Turn(Some(Arc::clone(self)));
            }
            state.join(client)
        };
        turn.await.expect("a line is only dropped with its turns given out")
    }

    /// Gives a place that has become free to whoever is next and still there.
    fn pass_on(self: &Arc<Self>) {
        let mut state = self.lock();
        while let Some(next) = state.next() {
            match next.send(Turn(Some(Arc::clone(self)))) {
                Ok(()) => return,
                // They have stopped waiting; the turn is still ours to give.
                Err(mut turn) => turn.0 = None,
            }
        }
        state.taken -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn join(&mut self, client: &str) -> oneshot::Receiver<Turn> {
        let (give, turn) = oneshot::channel();
        match self.lines.iter_mut().find(|line| line.client == client) {
            Some(line) => line.waiting.push_back(give),
            None => self.lines.push_back(Line { client: client.to_owned(), waiting: [give].into() }),
        }
        turn
    }

    /// The first of the first line, which then goes behind the others.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let mut line = self.lines.pop_front()?;
        let next = line.waiting.pop_front();
        if !line.waiting.is_empty() {
            self.lines.push_back(line);
        }
        next
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Whether a future is done when it is looked at once.
    fn look<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    #[test]
    fn no_more_than_the_places_are_taken_and_a_free_one_goes_to_the_next() {
        let queue = Queue::new(2);
        let first = look(pin!(queue.enter("a"))).unwrap();
        let _second = look(pin!(queue.enter("a"))).unwrap();
        let mut third = pin!(queue.enter("a"));
        assert!(look(third.as_mut()).is_none());
        drop(first);
        let third = look(third).unwrap();
        assert!(look(pin!(queue.enter("a"))).is_none());
        drop(third);
        assert_eq!(queue.lock().taken, 1);
    }

    #[test]
    fn a_client_that_asks_for_much_does_not_hold_up_another() {
        let queue = Queue::new(1);
        let turn = look(pin!(queue.enter("greedy"))).unwrap();
        let clients = ["greedy", "greedy", "greedy", "modest"];
        let mut waiting: Vec<_> = clients.iter().map(|client| Box::pin(queue.enter(client))).collect();
        for call in &mut waiting {
            assert!(look(call.as_mut()).is_none());
        }
        let mut served = Vec::new();
        let mut turn = Some(turn);
        while turn.take().is_some() {
            for (index, call) in waiting.iter_mut().enumerate() {
                if !served.contains(&index)
                    && let Some(next) = look(call.as_mut())
                {
                    served.push(index);
                    turn = Some(next);
                }
            }
        }
        assert_eq!(served, [0, 3, 1, 2]);
        assert_eq!(queue.lock().taken, 0);
    }

    #[test]
    fn whoever_stops_waiting_costs_nobody_a_place() {
        let queue = Queue::new(1);
        let turn = look(pin!(queue.enter("a"))).unwrap();
        let mut patient = pin!(queue.enter("b"));
        {
            // One gives up before its turn, one just after it was given.
            let mut early = Box::pin(queue.enter("a"));
            assert!(look(early.as_mut()).is_none());
            drop(early);
            let mut late = Box::pin(queue.enter("a"));
            assert!(look(late.as_mut()).is_none());
            assert!(look(patient.as_mut()).is_none());
            drop(turn);
            drop(late);
        }
        assert!(look(patient).is_some());
        assert_eq!(queue.lock().taken, 0);
    }
}
