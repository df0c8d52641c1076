//! Reads that see a commit whole or not at all.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use hewto_core::interrupt::Interrupted;

use super::{Extent, Inner, Store};
use crate::beneath::Root;
use crate::context::Context;
use crate::doc::ReadError;
use crate::journal::Pending;
use crate::lock::{self, Holder, LockError, LockState};
use crate::overlay::Overlay;

/// How often a reader tries to find a moment between two commits before it takes the lock.
pub(super) const TRIES: usize = 3;

/// How long a reader waits for a commit that is under way before it asks whether anybody is at work.
const MOMENT: Duration = Duration::from_millis(10);
/// How long it waits for somebody who is at work before it reads through what is left to do.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it looks.
const GLANCE: Duration = Duration::from_micros(100);

impl Store {
    /// Reads several files of which no commit has changed only some meanwhile.
    pub(super) fn between_commits<T>(
        &self,
        context: &Context,
        extent: &Extent,
        read: impl Fn(&Inner, &Root) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if let Some(root) = self.held_view() {
            return read(&self.inner, &root);
        }
        let journal = self.inner.journal(context);
        for _ in 0..TRIES {
            let sight = self.sight(context, extent)?;
            let before = journal.last();
            let value = read(&self.inner, &sight)?;
            // In this order: a commit that is closed between the two questions has left its mark by the second.
            let is_quiet = match sight.overlay() {
                None => {
                    !journal.has_record()
                        || self.inner.is_elsewhere(&journal, extent)
                        || self.is_without_effect(context)?
                }
                Some(overlay) => self.is_still_seen(context, overlay)?,
            };
            if is_quiet && journal.last() == before {
                return Ok(value);
            }
        }
        // Too much is being written to find a quiet moment: make one. Nothing is finished or swept for it.
        let inner = &*self.inner;
        let _quiet = lock::wait_for_quiet(context, inner.state_root(), inner.layout.places());
        let sight = inner.sight_of(inner.journal(context).pending())?;
        read(inner, &sight)
    }

    /// Reads one thing, as it is between two commits.
    pub(super) fn settled<T>(
        &self,
        context: &Context,
        extent: &Extent,
        read: impl Fn(&Root) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if let Some(root) = self.held_view() {
            return read(&root);
        }
        for _ in 0..TRIES {
            let sight = self.sight(context, extent)?;
            let value = read(&sight)?;
            match sight.overlay() {
                Some(overlay) if !self.is_still_seen(context, overlay)? => {}
                _ => return Ok(value),
            }
        }
        read(&*self.sight(context, extent)?)
    }

    /// Whether the commit that was seen through waits as it did.
    pub(super) fn is_still_seen(&self, context: &Context, overlay: &Overlay) -> Result<bool, ReadError> {
        let again = self.inner.sight_of(self.inner.journal(context).pending())?;
        Ok(again.overlay().is_some_and(|again| again.touched() == overlay.touched()))
    }

    /// Whether the record that stands there changes nothing of what was read: it is not believed, or everything is in its
    /// place, and nobody is at work.
    pub(super) fn is_without_effect(&self, context: &Context) -> Result<bool, ReadError> {
        let inner = &*self.inner;
        Ok(!self.is_at_work() && inner.sight_of(inner.journal(context).pending())?.overlay().is_none())
    }

    pub(super) fn is_at_work(&self) -> bool {
        self.machine().tenure().is_ok_and(|tenure| tenure != LockState::Free)
    }

    /// What to read from: the root as it is or, where a commit of this machine was interrupted, as it will be when that
    /// is finished. Waits a moment for a commit under way; writes nothing.
    pub(super) fn sight(&self, context: &Context, extent: &Extent) -> Result<Cow<'_, Root>, ReadError> {
        if let Some(root) = self.held_view() {
            return Ok(root);
        }
        let journal = self.inner.journal(context);
        if !journal.has_record() || self.inner.is_elsewhere(&journal, extent) {
            return Ok(Cow::Borrowed(&self.inner.root));
        }
        let begin = Instant::now();
        loop {
            // A commit under way is over in a moment; whether anybody is at work is asked only after that.
            let waited = begin.elapsed();
            let is_at_work = waited < MOMENT || self.is_at_work();
            if !is_at_work || waited > PATIENCE {
                match journal.pending() {
                    // Somebody else's on this machine, with a key of their own: theirs to finish.
                    Pending::Distrusted(_) if is_at_work => {}
                    pending => return self.inner.sight_of(pending),
                }
            }
            context.check().map_err(|why| match why {
                Interrupted::Cancelled => ReadError::from(why),
                Interrupted::TimedOut => ReadError::Locked(LockError::Busy { holder: self.holder() }),
            })?;
            std::thread::sleep(GLANCE);
            if !journal.has_record() {
                return Ok(Cow::Borrowed(&self.inner.root));
            }
        }
    }

    pub(super) fn holder(&self) -> Option<Holder> {
        match self.machine().tenure() {
            Ok(LockState::Held(holder)) => Some(holder),
            _ => None,
        }
    }
}
