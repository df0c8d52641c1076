//! The way to the client: frames leave in order, at once where there is room for them, else by a thread that waits.
//!
//! A thread in between costs every reply two switches. It is needed for a client that does not read, which must block
//! neither the runtime nor the tools.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use rmcp::model::RequestId;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::in_flight::InFlight;

/// Writes as much as there is room for and never waits. What it writes comes out where the stream it belongs to does.
pub type WriteNow = Box<dyn FnMut(&[u8]) -> io::Result<usize> + Send>;

pub(super) struct Outlet {
    now: Option<WriteNow>,
    writer: Writer,
    /// How many frames the thread has not written yet.
    waiting: Arc<AtomicUsize>,
    in_flight: Arc<InFlight>,
    /// Cancelled when nobody can be written to any more.
    broken: CancellationToken,
}

/// The thread, which many a server never needs.
enum Writer {
    Idle(Box<dyn Write + Send>),
    Running(mpsc::Sender<Outgoing>),
    /// It could not be started.
    Failed,
}

enum Outgoing {
    Frame { bytes: Vec<u8>, completes: Completes },
    Flush(oneshot::Sender<()>),
}

/// Which debt a frame pays.
#[derive(Debug)]
pub(super) enum Completes {
    Request(RequestId),
    /// A reply whose id is not in flight, or no more.
    Other,
    Nothing,
}

impl Outlet {
    /// `broken` is cancelled when nobody can be written to any more.
    pub(super) fn new(
        output: impl Write + Send + 'static,
        now: Option<WriteNow>,
        in_flight: Arc<InFlight>,
        broken: CancellationToken,
    ) -> Self {
        Self { now, writer: Writer::Idle(Box::new(output)), waiting: Arc::default(), in_flight, broken }
    }

    /// Sends a frame after all those before it.
    pub(super) fn send(&mut self, mut bytes: Vec<u8>, mut completes: Completes) -> io::Result<()> {
        // Whatever the thread still has to write comes first.
        if let Some(now) = &mut self.now
            && self.waiting.load(Ordering::Acquire) == 0
        {
            let is_in_flight = completes.begin(&self.in_flight);
            // The thread meets a failure too, and knows what to do about it.
            let written = now(&bytes).unwrap_or(0);
            if written == bytes.len() {
                if is_in_flight {
                    self.in_flight.settle_one();
                }
                return Ok(());
            }
            bytes.drain(..written);
            completes = if is_in_flight { Completes::Other } else { Completes::Nothing };
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let thread = self.thread()?;
        thread.send(Outgoing::Frame { bytes, completes }).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// The way to the thread, which is started now if it was not; it ends with the stream.
    fn thread(&mut self) -> io::Result<&mpsc::Sender<Outgoing>> {
        self.writer = match std::mem::replace(&mut self.writer, Writer::Failed) {
            Writer::Idle(output) => self.start(output).inspect_err(|_| self.broken.cancel())?,
            other => other,
        };
        match &self.writer {
            Writer::Running(frames) => Ok(frames),
            Writer::Idle(_) | Writer::Failed => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn start(&self, output: Box<dyn Write + Send>) -> io::Result<Writer> {
        let (sender, frames) = mpsc::channel();
        let (in_flight, waiting) = (Arc::clone(&self.in_flight), Arc::clone(&self.waiting));
        let broken = self.broken.clone();
        thread::Builder::new().name("hewto-stdout".into()).spawn(move || {
            if let Err(error) = write_frames(output, &frames, &in_flight, &waiting) {
                tracing::warn!(%error, "cannot write to the client");
                broken.cancel();
            }
        })?;
        Ok(Writer::Running(sender))
    }

    /// Waits until everything sent before is written.
    pub(super) async fn flush(&mut self) {
        let Writer::Running(frames) = &self.writer else { return };
        let (flushed, done) = oneshot::channel();
        if frames.send(Outgoing::Flush(flushed)).is_ok() {
            // The thread drops its end without a word only when the client is gone.
            let _ = done.await;
        }
    }
}

impl std::fmt::Debug for Outlet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outlet").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

impl Completes {
    /// Frees the id of a reply that is about to be written; says whether the reply is owed.
    fn begin(&self, in_flight: &InFlight) -> bool {
        match self {
            Self::Request(id) => in_flight.release(id),
            Self::Other => true,
            Self::Nothing => false,
        }
    }
}

/// Writes each frame with one call.
fn write_frames(
    mut output: impl Write,
    frames: &mpsc::Receiver<Outgoing>,
    in_flight: &InFlight,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    while let Ok(outgoing) = frames.recv() {
        match outgoing {
            Outgoing::Frame { bytes, completes } => {
                let is_in_flight = completes.begin(in_flight);
                output.write_all(&bytes)?;
                output.flush()?;
                waiting.fetch_sub(1, Ordering::Release);
                if is_in_flight {
                    in_flight.settle_one();
                }
            }
            Outgoing::Flush(done) => {
                // Whoever asked may have stopped waiting.
                let _ = done.send(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use proptest::prelude::*;

    use super::*;

    /// One stream with two ways in.
    #[derive(Debug, Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn frames_come_out_whole_and_in_order_however_much_room_there_is(
            rooms in prop::collection::vec(prop::option::of(0_usize..12), 1..40),
        ) {
            let shared = Shared::default();
            let mut rooms = rooms.into_iter().cycle();
            let mut direct = shared.clone();
            let now: WriteNow = Box::new(move |bytes| match rooms.next().flatten() {
                Some(room) => direct.write(&bytes[..room.min(bytes.len())]),
                None => Err(io::ErrorKind::WouldBlock.into()),
            });
            let in_flight = Arc::new(InFlight::new());
            let broken = CancellationToken::new();
            let mut outlet = Outlet::new(shared.clone(), Some(now), Arc::clone(&in_flight), broken);
            let mut expected = String::new();
            for number in 0..40 {
                let frame = format!("frame {number}\n");
                expected.push_str(&frame);
                in_flight.add_refusal();
                outlet.send(frame.into_bytes(), Completes::Other).unwrap();
            }
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                outlet.flush().await;
                in_flight.fewer_than(1).await;
            });
            let written = shared.0.lock().unwrap().clone();
            prop_assert_eq!(String::from_utf8(written).unwrap(), expected);
        }
    }
}
