//! How the lock goes from one writer of this process to the next, with commits that are to be carried out together.

use super::{Inner, Store, WriteGuard};
use crate::commit::{CommitError, Committed, Edit, Ticket};
use crate::context::Context;
use crate::lock::{CHECK_EVERY, Held, LockError, Taken};
use crate::path::RelPath;

impl Store {
    pub(super) fn take_turn(&self, context: &Context) -> Result<Taken, LockError> {
        self.inner.lock.take(context, self.inner.state_root(), self.inner.layout.places())
    }

    /// Starts anew: what waits is carried out, other processes have their turn, and what a crash left is finished.
    pub(super) fn take_over(&self, context: &Context, taken: Taken) -> Result<WriteGuard, LockError> {
        let inner = &self.inner;
        if taken.is_left() {
            // Those whom it concerns are told.
            let _ = inner.carry_out_group(context);
        }
        let held = taken.fresh(context, inner.state_root(), inner.layout.places())?;
        inner.journal(context).recover()?;
        Ok(WriteGuard::new(inner, held))
    }
}

impl Inner {
    pub(super) fn join(
        &self,
        context: &Context,
        edits: Vec<Edit<RelPath>>,
    ) -> Result<std::sync::Arc<Ticket>, CommitError> {
        self.group.join(context, &self.root, &self.journal(context), edits)
    }

    pub(super) fn carry_out_group(&self, context: &Context) -> Result<(), CommitError> {
        self.group.carry_out(&self.root, &self.journal(context))
    }

    /// Waits for word of a commit. Should nobody be left to carry it out, this thread does.
    pub(super) fn wait_for(&self, ticket: &Ticket) -> Result<Committed, CommitError> {
        loop {
            if let Some(outcome) = ticket.wait(CHECK_EVERY) {
                return outcome;
            }
            if let Some(held) = self.lock.take_left() {
                self.leave(held);
            }
        }
    }

    /// Gives the lock up, to another thread with what waits, or after that is carried out.
    pub(super) fn leave(&self, held: Held) {
        if !self.group.is_open() {
            return;
        }
        let held = if self.group.has_room() { self.lock.leave(held) } else { Some(held) };
        if held.is_some()
            && let Some(context) = self.group.context()
        {
            let _ = self.carry_out_group(&context);
        }
    }
}

#[cfg(feature = "fault-injection")]
impl Store {
    /// How many threads of this process wait for the lock (tests only).
    pub fn waiting(&self) -> usize {
        self.inner.lock.waiting()
    }
}
