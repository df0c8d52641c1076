//! Writes the logs on a thread of its own, so that a call never waits for them unless it asks to.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use jiff::Timestamp;

use super::append::{Appended, Growth, LockedLogs};
use super::operation::OperationEnvelope;
use super::prune::{Cap, prune};
use super::queue::{Queue, Urgency};
use super::rotate::Rotation;
use super::wire::{self, AuditIdentity, WireKind};
use crate::beneath::Root;
use crate::context::Clock;
use crate::disk;
use crate::layout::Layout;
use crate::path::RelPath;
use crate::state_dir;

/// The way into both logs of a workspace. Dropping it writes what still waits.
#[derive(Debug)]
pub struct AuditWriter {
    queue: Arc<Queue<Message>>,
    thread: Option<JoinHandle<()>>,
    clock: Clock,
}

enum Message {
    Wire { identity: Arc<AuditIdentity>, at: Timestamp, kind: WireKind, message: Vec<u8> },
    Operation(Box<OperationEnvelope>),
    Flush(Box<dyn FnOnce() + Send>),
}

impl AuditWriter {
    /// Starts the thread. Nothing is opened or created before the first record.
    pub fn start(layout: &Layout, clock: Clock) -> io::Result<Self> {
        Self::start_with(layout, clock, Rotation::STANDARD)
    }

    /// The same for logs that stand in a folder of their own, in no workspace. The folder is made now.
    pub fn start_in(folder: &Path, clock: Clock) -> io::Result<Self> {
        disk::create_root(folder)?;
        let layout = Layout::of_logs(&fs_err::canonicalize(folder)?)?;
        Self::start(&layout, clock)
    }

    fn start_with(layout: &Layout, clock: Clock, rotation: Rotation) -> io::Result<Self> {
        let queue = Arc::new(Queue::new());
        let mut logs =
            Logs { layout: layout.clone(), rotation, clock: clock.clone(), has_warned: false, new_files: 0 };
        let waiting = Arc::clone(&queue);
        let thread =
            std::thread::Builder::new().name("audit".to_owned()).spawn(move || logs.run(&waiting))?;
        Ok(Self { queue, thread: Some(thread), clock })
    }

    /// Notes a message that came in or went out, as it stood on the wire; what must not stay is taken out here.
    pub fn wire(&self, identity: &Arc<AuditIdentity>, kind: WireKind, message: &[u8]) {
        let (identity, message) = (Arc::clone(identity), message.to_owned());
        self.put(Message::Wire { identity, at: self.clock.now(), kind, message }, Urgency::Soon);
    }

    /// Notes an operation.
    pub fn operation(&self, envelope: OperationEnvelope) {
        self.put(Message::Operation(Box::new(envelope)), Urgency::Soon);
    }

    /// Calls `then` once everything that was noted before is written.
    pub fn when_written(&self, then: impl FnOnce() + Send + 'static) {
        self.put(Message::Flush(Box::new(then)), Urgency::Now);
    }

    fn put(&self, message: Message, urgency: Urgency) {
        let bytes = match &message {
            Message::Wire { message, .. } => message.len(),
            Message::Operation(_) | Message::Flush(_) => 0,
        };
        if self.queue.put(message, bytes, urgency).is_err() {
            tracing::debug!("a record comes after the end of the log");
        }
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Logs {
    layout: Layout,
    rotation: Rotation,
    clock: Clock,
    /// Whether the latest write failed and was complained about.
    has_warned: bool,
    /// How many wire logs were begun, so that their cap is looked at now and then.
    new_files: u32,
}

/// The cap is looked at with the first of so many new files.
const LOOK_EVERY: u32 = 32;

impl Logs {
    fn run(&mut self, queue: &Queue<Message>) {
        let _closing = queue.close_at_end();
        while let Some(messages) = queue.take() {
            let mut wire: BTreeMap<RelPath, Vec<u8>> = BTreeMap::new();
            let mut operations = Vec::new();
            let mut flushes = Vec::new();
            for message in messages {
                match message {
                    Message::Flush(then) => flushes.push(then),
                    Message::Wire { identity, at, kind, message } => {
                        let line = wire::line(at, kind, identity.principal.as_deref(), &message);
                        for name in [wire::daily_name(at), wire::session_name(&identity.session_id)] {
                            if let Ok(path) = self.layout.places().wire_logs.path().join(&name) {
                                wire.entry(path).or_default().extend_from_slice(&line);
                            }
                        }
                    }
                    Message::Operation(envelope) => {
                        operations.extend(envelope.into_line());
                    }
                }
            }
            let written = self.append(&wire, &operations);
            self.complain_once(&written);
            for then in flushes {
                then();
            }
        }
    }

    /// Says so when the logs stop being written, and not again before they have been.
    fn complain_once(&mut self, written: &io::Result<()>) {
        if let Err(error) = written
            && !self.has_warned
        {
            let logs = self.layout.places().wire_logs.path();
            tracing::warn!(%error, %logs, "cannot write the logs; calls go on without them");
        }
        self.has_warned = written.is_err();
    }

    /// Appends to every log as far as that can be done; the first failure is told.
    fn append(&mut self, wire: &BTreeMap<RelPath, Vec<u8>>, operations: &[u8]) -> io::Result<()> {
        let (place, operation_log) = self.layout.operation_log();
        let (place, operation_log) = (place.to_owned(), operation_log.clone());
        let folder = self.layout.places().wire_logs.path().clone();
        // As a rule all of them lie in one folder, under one lock.
        let is_one = place == self.layout.state_root() && operation_log.parent().as_ref() == Some(&folder);
        let mut written = Ok(());
        if !wire.is_empty() || (is_one && !operations.is_empty()) {
            let beside = is_one.then_some((&operation_log, operations));
            written = self.append_in(&folder, wire, beside);
        }
        if !is_one && !operations.is_empty() {
            written = written.and(self.append_elsewhere(&place, &operation_log, operations));
        }
        written
    }

    fn append_in(
        &mut self,
        folder: &RelPath,
        wire: &BTreeMap<RelPath, Vec<u8>>,
        operations: Option<(&RelPath, &[u8])>,
    ) -> io::Result<()> {
        let now = self.clock.now();
        let root = self.open(self.layout.state_root(), folder)?;
        let mut logs = LockedLogs::open(&root, Some(folder))?;
        let mut written = Ok(());
        if let Some((log, lines)) = operations.filter(|(_, lines)| !lines.is_empty()) {
            written = logs.append(log, lines, Growth::Rotating(&self.rotation, now)).map(drop);
        }
        let mut is_due = false;
        for (path, lines) in wire {
            match logs.append(path, lines, Growth::BySize(&self.rotation, now)) {
                Ok(Appended::Plainly) => {}
                Ok(Appended::WithNewFile) => {
                    is_due |= self.new_files.is_multiple_of(LOOK_EVERY);
                    self.new_files += 1;
                }
                Err(error) => written = written.and(Err(error)),
            }
        }
        written = logs.close().and(written);
        if is_due {
            written = written.and(prune(&root, folder, Cap::STANDARD));
        }
        written
    }

    fn append_elsewhere(&self, place: &Path, log: &RelPath, lines: &[u8]) -> io::Result<()> {
        if place != self.layout.state_root() {
            // Somebody chose a folder of their own for it.
            disk::create_root(place)?;
        }
        let root = self.open(place, log)?;
        let mut logs = LockedLogs::open(&root, log.parent().as_ref())?;
        let written = logs.append(log, lines, Growth::Rotating(&self.rotation, self.clock.now())).map(drop);
        logs.close().and(written)
    }

    fn open(&self, place: &Path, path: &RelPath) -> io::Result<Root> {
        let places = self.layout.places();
        let root = Root::open(place)?;
        if place == self.layout.state_root() && path.below(&places.state).is_some() {
            state_dir::ensure(&root, places)?;
        }
        Ok(root)
    }
}

#[cfg(test)]
mod tests;
