//! Turns within one process, and how a lock goes from one thread to the next with commits that are to be carried out.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hewto_core::interrupt::Interrupted;

use super::{CHECK_EVERY, LockError, LockFile, give_up, wait_for_file, write_holder};
use crate::beneath::Root;
use crate::context::Context;
use crate::layout::Places;

/// The in-process half of the lock.
#[derive(Debug, Default)]
pub(crate) struct WriteLock {
    turns: Mutex<Turns>,
    freed: Condvar,
    /// Somebody's commit has been carried out together with others.
    told: Condvar,
}

#[derive(Debug, Default)]
struct Turns {
    /// Whether somebody holds the lock or waits for other processes to give it up.
    is_taken: bool,
    /// How many threads wait for their turn.
    waiting: usize,
    /// The file, still locked, that the last holder leaves to the next with commits that are to be carried out.
    left: Option<LockFile>,
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
        turns.waiting += 1;
        let waited = loop {
            if !turns.is_taken {
                break Ok(());
            }
            if let Err(why) = context.check() {
                break Err(why);
            }
            turns = self.freed.wait_timeout(turns, CHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        };
        turns.waiting -= 1;
        waited.map(|()| self.take_now(&mut turns))
    }

    fn take_now(self: &Arc<Self>, turns: &mut Turns) -> Taken {
        turns.is_taken = true;
        Taken { left: turns.left.take(), turn: Turn(Arc::clone(self)) }
    }

    /// Whether other threads of this process wait for the lock.
    pub(crate) fn is_wanted(&self) -> bool {
        self.turns().waiting > 0
    }

    #[cfg(feature = "fault-injection")]
    pub(crate) fn waiting(&self) -> usize {
        self.turns().waiting
    }

    /// Leaves the lock to a thread that waits for it, file and all; gives it back where none does.
    pub(crate) fn leave(&self, held: Held) -> Option<Held> {
        let mut turns = self.turns();
        if turns.waiting == 0 {
            return Some(held);
        }
        let Held { file, turn } = held;
        turns.left = Some(file);
        drop(turns);
        drop(turn);
        None
    }

    /// Waits until `is_done` says so, or until a lock that was left is there for nobody else: then it is this thread's.
    pub(crate) fn wait_for_word(self: &Arc<Self>, is_done: impl Fn() -> bool) -> Option<Held> {
        let mut turns = self.turns();
        loop {
            if is_done() {
                return None;
            }
            if !turns.is_taken && turns.waiting == 0 && turns.left.is_some() {
                let Taken { left, turn } = self.take_now(&mut turns);
                return left.map(|file| Held { file, turn });
            }
            turns = self.told.wait_timeout(turns, CHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes those who wait for word of their commits.
    pub(crate) fn tell(&self) {
        let _turns = self.turns();
        self.told.notify_all();
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
        self.0.turns().is_taken = false;
        self.0.freed.notify_one();
    }
}
