//! What a call brings along: how long it may take, who asked, and the sources of time, ids and chance.
//!
//! Every function that loops, waits or writes takes a [`Context`] and looks at it (D-12). Nothing here starts a
//! thread or reads the environment; tests hand in a fixed clock and fixed ids.

mod caller;
mod commit_point;
mod progress;
mod sources;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::failure::{Action, Hint, Wording};
use hewto_core::id::SpecId;
use hewto_core::interrupt::Interrupted;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

pub use self::caller::{Caller, Channel, Sees};
pub use self::commit_point::CommitPoint;
pub use self::progress::{Cancellation, Progress, ProgressSink};
pub(crate) use self::sources::rfc3339_millis;
pub use self::sources::{Clock, IdGenerator, Random, TimestampIds, rfc3339_seconds};
use crate::commit::Change;
use crate::secret::MachineSecret;

/// Deadline, cancellation, progress, clock, ids, chance, the machine's key and the caller's identity. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Context {
    deadline: Option<Instant>,
    cancellation: Cancellation,
    progress: Option<ProgressSink>,
    clock: Clock,
    ids: Arc<dyn IdGenerator>,
    random: Random,
    caller: Arc<Caller>,
    secret: MachineSecret,
    claim: Option<u64>,
    wording: Wording,
    misread: Arc<[Value]>,
    committed: Arc<Mutex<Vec<Change>>>,
    transcript: Arc<Mutex<Vec<Value>>>,
    commit_point: CommitPoint,
}

impl Context {
    /// A context without a deadline that nobody cancels, for commands and tests.
    pub fn background() -> Self {
        let random = Random::system();
        let caller = Caller {
            session_id: random.uuid().to_string(),
            principal: None,
            channel: Channel::Cli,
            protocol_version: None,
            operation_id: random.uuid().to_string(),
            operation: "hewto".to_owned(),
            traceparent: None,
            sees: Sees::Everything,
        };
        Self {
            deadline: None,
            cancellation: Cancellation::default(),
            progress: None,
            clock: Clock::system(),
            ids: Arc::new(TimestampIds),
            random,
            caller: Arc::new(caller),
            secret: MachineSecret::default(),
            claim: None,
            wording: Wording::default(),
            misread: Arc::default(),
            committed: Arc::default(),
            transcript: Arc::default(),
            commit_point: CommitPoint::default(),
        }
    }

    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same without an end, for work that outlives the call that asked for it.
    #[must_use]
    pub fn without_deadline(mut self) -> Self {
        self.deadline = None;
        self.progress = None;
        self
    }

    /// Sets the deadline this far from now.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        self.with_deadline(Instant::now() + timeout)
    }

    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    #[must_use]
    pub fn with_progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Seals with the key of this machine what a later process has to believe. Without it, only this process can finish
    /// what this process began.
    #[must_use]
    pub fn with_secret(mut self, secret: MachineSecret) -> Self {
        self.secret = secret;
        self
    }

    /// Shows the number of a claim with whatever is written.
    #[must_use]
    pub fn with_claim(mut self, claim: Option<u64>) -> Self {
        self.claim = claim;
        self
    }

    /// The number of a claim that the caller sent.
    pub fn claim(&self) -> Option<u64> {
        self.claim
    }

    /// Says what was wrong with how the call was written. Such a call is judged, and changes nothing.
    #[must_use]
    pub fn with_misread(mut self, faults: Vec<Value>) -> Self {
        if !faults.is_empty() {
            self.misread = self.misread.iter().cloned().chain(faults).collect();
        }
        self
    }

    /// What was wrong with how the call was written, each with its pointer.
    pub fn misread(&self) -> &[Value] {
        &self.misread
    }

    /// Tells what to do next in the words of this face.
    #[must_use]
    pub fn with_wording(mut self, wording: Wording) -> Self {
        self.wording = wording;
        self
    }

    /// A hint in the words of whoever asked.
    pub fn say(&self, hint: impl Into<Hint>) -> String {
        self.wording.hint(&hint.into())
    }

    /// What to do next as whoever asked would send or type it; `arguments` are written as JSON.
    pub fn call(&self, action: &Action, arguments: &str) -> String {
        self.wording.call(action, arguments)
    }

    #[must_use]
    pub fn with_ids(mut self, ids: Arc<dyn IdGenerator>) -> Self {
        self.ids = ids;
        self
    }

    /// The same for an operation of this name.
    #[must_use]
    pub fn with_operation(mut self, name: &str) -> Self {
        name.clone_into(&mut Arc::make_mut(&mut self.caller).operation);
        self
    }

    /// The same on behalf of this principal.
    #[must_use]
    pub fn with_principal(mut self, name: &str) -> Self {
        Arc::make_mut(&mut self.caller).principal = Some(name.to_owned());
        self
    }

    /// The same for another operation, which has committed nothing yet.
    #[must_use]
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = Arc::new(caller);
        self.committed = Arc::default();
        self.transcript = Arc::default();
        self.commit_point = CommitPoint::default();
        self
    }

    /// Whether the call may go on. Past its commit point it may: what is left is to answer.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.commit_point.is_passed() {
            return Ok(());
        }
        if self.commit_point.is_closed() && !self.cancellation.is_cancelled() {
            return Err(Interrupted::TimedOut);
        }
        Interrupted::check(self.cancellation.is_cancelled(), self.deadline, Instant::now)
    }

    /// The last look before something is changed for good; from here on nobody calls it off.
    pub fn pass_commit_point(&self) -> Result<(), Interrupted> {
        self.check()?;
        if !self.misread.is_empty() {
            // Whoever judged it has told why; nobody who did not may go on.
            return Err(Interrupted::Cancelled);
        }
        self.commit_point.pass()
    }

    pub fn commit_point(&self) -> &CommitPoint {
        &self.commit_point
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Tells whoever listens how far the call has come.
    pub fn report(&self, progress: Progress) {
        if let Some(sink) = &self.progress {
            sink.send(progress);
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The time as artifacts carry it: `2026-01-24T14:30:00Z`.
    pub fn now_rfc3339(&self) -> String {
        rfc3339_seconds(self.now())
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The first candidate for the id of a new spec.
    pub fn spec_id(&self, title: &str) -> SpecId {
        self.ids.generate(title, self.now())
    }

    pub fn uuid(&self) -> Uuid {
        self.random.uuid()
    }

    /// The secret of the machine that this runs on.
    pub fn secret(&self) -> &MachineSecret {
        &self.secret
    }

    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Who is counted: the principal or, where nobody has to say who they are, the session.
    pub fn client(&self) -> &str {
        self.caller.principal.as_deref().unwrap_or(&self.caller.session_id)
    }

    /// Everything that was committed with this context or a clone of it, for the audit log.
    pub fn committed(&self) -> Vec<Change> {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts something worth remembering into the record of this operation.
    pub fn note(&self, event: Value) {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// What was noted with this context or a clone of it, for the audit log.
    pub fn transcript(&self) -> Vec<Value> {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_committed(&self, changes: &[Change]) {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(changes);
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::background()
    }
}

#[cfg(test)]
mod tests;
