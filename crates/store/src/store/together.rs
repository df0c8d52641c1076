//! How the lock goes from one writer of this process to the next, with commits that are to be carried out together.

use super::{Inner, WriteGuard};
use crate::commit::{CommitError, Committed, Edit, Ticket};
use crate::context::Context;
use crate::lock::{Held, LockError, Taken};
use crate::path::RelPath;

impl Inner {
    /// Starts anew: what waits is carried out, other processes have their turn, and what a crash left is finished.
    pub(super) fn take_over(&self, context: &Context, taken: Taken) -> Result<WriteGuard<'_>, LockError> {
        if taken.is_left() {
            // Those whom it concerns are told.
            let _ = self.carry_out_group(context);
        }
        let held = taken.fresh(context, self.state_root(), self.layout.places())?;
        self.journal(context).recover()?;
        self.take_reads();
        Ok(WriteGuard::new(self, held))
    }

    pub(super) fn join(
        &self,
        context: &Context,
        edits: Vec<Edit<RelPath>>,
    ) -> Result<std::sync::Arc<Ticket>, CommitError> {
        let joined = self.group.join(context, &self.root, &self.journal(context), edits);
        self.lock.tell();
        joined
    }

    pub(super) fn carry_out_group(&self, context: &Context) -> Result<(), CommitError> {
        let done = self.group.carry_out(&self.root, &self.journal(context));
        self.lock.tell();
        done
    }

    /// Waits for word of a commit. Should nobody be left to carry it out, this thread does.
    pub(super) fn wait_for(&self, ticket: &Ticket) -> Result<Committed, CommitError> {
        loop {
            if let Some(outcome) = ticket.take() {
                return outcome;
            }
            if let Some(held) = self.lock.wait_for_word(|| ticket.is_told()) {
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
impl super::Store {
    /// How many threads of this process wait for the lock (tests only).
    pub fn waiting(&self) -> usize {
        self.inner.lock.waiting()
    }
}
