//! Turns within one process, and how a lock goes from one thread to the next with commits that are to be carried out.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hewto_core::interrupt::Interrupted;

use super::{CHECK_EVERY, IN_LINE, LockError, LockFile, give_up, wait_for_file, write_holder};
use crate::beneath::Root;
use crate::context::Context;
use crate::layout::Places;

/// The in-process half of the lock.
#[derive(Debug, Default)]
pub(crate) struct WriteLock {
    turns: Mutex<Turns>,
}

#[derive(Debug, Default)]
struct Turns {
    /// Whether somebody holds the lock or waits for other processes to give it up.
    is_taken: bool,
    /// The threads that wait for their turn, in the order in which they came.
    line: VecDeque<Arc<Place>>,
    /// The file, still locked, that the last holder leaves to the next with commits that are to be carried out.
    left: Option<LockFile>,
}

/// Where a thread waits for its turn.
#[derive(Debug)]
struct Place {
    since: Instant,
    called: Condvar,
}

impl Turns {
    /// Whether a thread may take the lock: also one that has just come, unless the first in line has waited for long. A thread
    /// that is awake takes it sooner than one that has to be woken, and nobody is passed over for good.
    fn admits(&self, place: Option<&Arc<Place>>) -> bool {
        let is_first = |first: &Arc<Place>| place.is_some_and(|place| Arc::ptr_eq(first, place));
        !self.is_taken
            && self.line.front().is_none_or(|first| is_first(first) || first.since.elapsed() < IN_LINE)
    }

    /// Wakes the first in line.
    fn call(&self) {
        if let Some(first) = self.line.front() {
            first.called.notify_one();
        }
    }
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    // Dropped first: other processes may go on before other threads do.
    file: LockFile,
    turn: Turn,
}

/// A turn within the process, with the file if the holder before has left it.
#[derive(Debug)]
pub(crate) struct Taken {
    left: Option<LockFile>,
    turn: Turn,
}

#[derive(Debug)]
struct Turn(Arc<WriteLock>);

impl WriteLock {
    /// Takes the lock, waiting as long as the context allows.
    #[cfg(test)]
    pub(crate) fn acquire(
        self: &Arc<Self>,
        context: &Context,
        root: &Root,
        places: &Places,
    ) -> Result<Held, LockError> {
        self.take(context, root, places)?.fresh(context, root, places)
    }

    /// Waits for this thread's turn, as long as the context allows.
    pub(crate) fn take(
        self: &Arc<Self>,
        context: &Context,
        root: &Root,
        places: &Places,
    ) -> Result<Taken, LockError> {
        context.check()?;
        self.take_turn(context).map_err(|why| give_up(why, root, &places.lock))
    }

    fn take_turn(self: &Arc<Self>, context: &Context) -> Result<Taken, Interrupted> {
        let mut turns = self.turns();
        if turns.admits(None) {
            return Ok(self.take_now(&mut turns));
        }
        let place = Arc::new(Place { since: Instant::now(), called: Condvar::new() });
        turns.line.push_back(Arc::clone(&place));
        let waited = loop {
            if turns.admits(Some(&place)) {
                break Ok(());
            }
            if let Err(why) = context.check() {
                break Err(why);
            }
            turns = place.called.wait_timeout(turns, CHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        };
        turns.line.retain(|other| !Arc::ptr_eq(other, &place));
        if waited.is_err() && !turns.is_taken {
            turns.call();
        }
        waited.map(|()| self.take_now(&mut turns))
    }

    fn take_now(self: &Arc<Self>, turns: &mut Turns) -> Taken {
        turns.is_taken = true;
        Taken { left: turns.left.take(), turn: Turn(Arc::clone(self)) }
    }

    /// Whether other threads of this process wait for the lock.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.turns().line.is_empty()
    }

    #[cfg(feature = "fault-injection")]
    pub(crate) fn waiting(&self) -> usize {
        self.turns().line.len()
    }

    /// Leaves the lock to a thread that waits for it, file and all; gives it back where none does.
    pub(crate) fn leave(&self, held: Held) -> Option<Held> {
        let mut turns = self.turns();
        if turns.line.is_empty() {
            return Some(held);
        }
        let Held { file, turn } = held;
        turns.left = Some(file);
        drop(turns);
        drop(turn);
        None
    }

    /// A lock that was left and is there for nobody else, because whoever waited for it has given up.
    pub(crate) fn take_left(self: &Arc<Self>) -> Option<Held> {
        let mut turns = self.turns();
        if turns.is_taken || !turns.line.is_empty() || turns.left.is_none() {
            return None;
        }
        let Taken { left, turn } = self.take_now(&mut turns);
        left.map(|file| Held { file, turn })
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Whether the holder before has left commits that are to be carried out.
    pub(crate) fn is_left(&self) -> bool {
        self.left.is_some()
    }

    /// Goes on with the file that the holder before has left.
    pub(crate) fn go_on(self, context: &Context) -> Result<Held, Self> {
        match self.left {
            Some(file) => {
                write_holder(&file.0, context);
                Ok(Held { file, turn: self.turn })
            }
            None => Err(self),
        }
    }

    /// Lets other processes have theirs before it locks the file, waiting as long as the context allows.
    pub(crate) fn fresh(self, context: &Context, root: &Root, places: &Places) -> Result<Held, LockError> {
        drop(self.left);
        let file = wait_for_file(context, root, places, &places.lock)?;
        Ok(Held { file, turn: self.turn })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = self.0.turns();
        turns.is_taken = false;
        turns.call();
    }
}
