//! Writes the logs on a thread of its own, so that a call never waits for them unless it asks to.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use thiserror::Error;

use super::append::{Growth, append};
use super::operation::OperationEnvelope;
use super::rotate::Rotation;
use super::wire::{self, Speaker, WireKind};
use crate::beneath::Root;
use crate::context::Clock;
use crate::disk;
use crate::layout::Layout;
use crate::path::RelPath;
use crate::state_dir;

/// How many records may wait; beyond that a call waits for the disk rather than lose one.
const WAITING: usize = 4096;
/// How many records are written together.
const BATCH: usize = 256;
/// How long a record waits for others, unless somebody waits for it.
const GATHERING: Duration = Duration::from_millis(2);

/// The way into both logs of a workspace. Dropping it writes what still waits.
#[derive(Debug)]
pub struct AuditWriter {
    queue: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<()>>,
    clock: Clock,
    state: Arc<State>,
}

/// How the logs are doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditHealth {
    pub written: u64,
    /// Records that could not be written.
    pub failed: u64,
    pub last_error: Option<String>,
}

/// The logs were not written in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the logs are not written yet")]
pub struct FlushTimedOut;

#[derive(Debug, Default)]
struct State {
    written: AtomicU64,
    failed: AtomicU64,
    warned: AtomicBool,
    last_error: Mutex<Option<String>>,
}

enum Message {
    Wire { speaker: Speaker, at: Timestamp, kind: WireKind, message: Value },
    Operation(Box<OperationEnvelope>),
    Flush(SyncSender<()>),
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
        let (queue, waiting) = sync_channel(WAITING);
        let state = Arc::new(State::default());
        let logs = Logs { layout: layout.clone(), rotation, clock: clock.clone(), state: Arc::clone(&state) };
        let thread =
            std::thread::Builder::new().name("audit".to_owned()).spawn(move || logs.run(&waiting))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), clock, state })
    }

    /// Notes a message that came in or went out.
    pub fn wire(&self, speaker: &Speaker, kind: WireKind, message: Value) {
        self.send(Message::Wire { speaker: speaker.clone(), at: self.clock.now(), kind, message });
    }

    /// Notes an operation. One that is noted twice counts as it was noted last.
    pub fn operation(&self, envelope: OperationEnvelope) {
        self.send(Message::Operation(Box::new(envelope)));
    }

    /// Waits until everything that was noted before is written.
    pub fn flush(&self, within: Duration) -> Result<(), FlushTimedOut> {
        let (done, wait) = sync_channel(1);
        self.send(Message::Flush(done));
        match wait.recv_timeout(within) {
            // A thread that is gone has nothing left to write.
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(FlushTimedOut),
        }
    }

    pub fn health(&self) -> AuditHealth {
        AuditHealth {
            written: self.state.written.load(Ordering::Relaxed),
            failed: self.state.failed.load(Ordering::Relaxed),
            last_error: self.state.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    fn send(&self, message: Message) {
        let sent = self.queue.as_ref().map(|queue| queue.send(message));
        if !matches!(sent, Some(Ok(()))) {
            self.state.failed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A message and those that come soon after it: opening, locking and closing a file costs more than a line. Whoever
/// waits for the log does not wait for more lines.
fn gather(first: Message, waiting: &Receiver<Message>) -> Vec<Message> {
    let end = Instant::now() + GATHERING;
    let mut messages = vec![first];
    while messages.len() < BATCH && !matches!(messages.last(), Some(Message::Flush(_))) {
        match waiting.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(message) => messages.push(message),
            Err(_) => break,
        }
    }
    messages
}

/// What the thread works with.
struct Logs {
    layout: Layout,
    rotation: Rotation,
    clock: Clock,
    state: Arc<State>,
}

/// Lines for one file.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    records: u64,
}

impl Logs {
    fn run(&self, waiting: &Receiver<Message>) {
        while let Ok(first) = waiting.recv() {
            let mut batches: BTreeMap<RelPath, Batch> = BTreeMap::new();
            let mut operations = Batch::default();
            let mut flushes = Vec::new();
            for message in gather(first, waiting) {
                match message {
                    Message::Flush(done) => flushes.push(done),
                    Message::Wire { speaker, at, kind, message } => {
                        let line = wire::line(at, kind, speaker.principal.as_deref(), message);
                        for name in [wire::daily_name(at), wire::session_name(&speaker.session_id)] {
                            if let Ok(path) = self.layout.places().wire_logs.join(&name) {
                                batches.entry(path).or_default().add(&line);
                            }
                        }
                    }
                    Message::Operation(envelope) => {
                        operations.add(&envelope.into_line());
                    }
                }
            }
            for (path, batch) in batches {
                self.write(&path, &batch, |lines| self.append_wire(&path, lines));
            }
            if operations.records > 0 {
                let (_, path) = self.layout.operation_log();
                self.write(path, &operations, |lines| self.append_operations(lines));
            }
            for done in flushes {
                // Whoever asked may have stopped waiting.
                let _ = done.send(());
            }
        }
    }

    fn write(&self, path: &RelPath, batch: &Batch, append: impl FnOnce(&[u8]) -> io::Result<()>) {
        match append(&batch.bytes) {
            Ok(()) => {
                self.state.written.fetch_add(batch.records, Ordering::Relaxed);
                self.state.warned.store(false, Ordering::Relaxed);
            }
            Err(error) => {
                self.state.failed.fetch_add(batch.records, Ordering::Relaxed);
                if !self.state.warned.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, %path, "cannot write the log; calls go on without it");
                }
                let mut last = self.state.last_error.lock().unwrap_or_else(PoisonError::into_inner);
                *last = Some(format!("cannot write the log: `{path}`: {error}"));
            }
        }
    }

    fn append_wire(&self, path: &RelPath, lines: &[u8]) -> io::Result<()> {
        append(&self.open(self.layout.state_root(), path)?, path, lines, Growth::Endless)
    }

    fn append_operations(&self, lines: &[u8]) -> io::Result<()> {
        let (place, path) = self.layout.operation_log();
        if place != self.layout.state_root() {
            // Somebody chose a folder of their own for it.
            disk::create_root(place)?;
        }
        let growth = Growth::Rotating(&self.rotation, self.clock.now());
        append(&self.open(place, path)?, path, lines, growth)
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

impl Batch {
    fn add(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.records += 1;
    }
}

#[cfg(test)]
mod tests;
