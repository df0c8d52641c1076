//! The one way from async code into the engine: a bounded number of blocking threads, a deadline, cancellation,
//! progress and a guard against panics (D-12).
//!
//! The caller always gets an answer in time. Work that overstays is told to stop and keeps its place until it does.
//! What is over at once needs no thread of its own (docs/adr/0008).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hewto_engine::{Cancellation, Context, Error, Key, Kind, Result};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::guard::{internal_error, panicked};
use crate::lane::{Lane, Lanes, Turn};
use crate::time_limit::TimeLimit;

/// Runs engine calls.
#[derive(Debug)]
pub struct Pool {
    lanes: Lanes,
    time_limit: Arc<TimeLimit>,
}

/// Tells whoever waits for a call how far it has come. What the work reports reaches it through the call's context.
pub trait Reporter: Send {
    /// Waits until there is something to tell; it may be dropped at any moment.
    fn due(&mut self) -> impl Future<Output = ()> + Send;

    /// Tells it. The answer of the call waits until this is over.
    fn report(&mut self) -> impl Future<Output = ()> + Send;
}

/// Nobody wants to hear of a call before its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Reporter for Silent {
    async fn due(&mut self) {
        std::future::pending::<()>().await;
    }

    async fn report(&mut self) {}
}

/// All workspaces of a server share its threads.
static INLINE_SLOTS: InlineSlots = InlineSlots { taken: AtomicUsize::new(0) };

/// The slots for work on the threads of the runtime itself (docs/adr/0008). What is brief is over before another thread
/// is awake; should it take long after all, because a folder is huge or the disk hangs, there are threads left for
/// everything else.
#[derive(Debug, Default)]
struct InlineSlots {
    taken: AtomicUsize,
}

/// A slot that is taken; dropping it frees it.
struct Slot<'h>(&'h AtomicUsize);

impl InlineSlots {
    /// A slot for what is brief, unless that would leave fewer than half of the threads to the others.
    fn enter(&self, lane: Lane) -> Option<Slot<'_>> {
        if !lane.is_brief() {
            return None;
        }
        let runtime = Handle::try_current().ok()?;
        let slots = runtime.metrics().num_workers() / 2;
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        let slot = Slot(&self.taken);
        (taken < slots).then_some(slot)
    }
}

impl Slot<'static> {
    /// Runs `work` on this thread as soon as it is free, which the caller makes it by waiting for the task.
    fn spawn<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        // The thread that was woken by the client also minds the clock and the streams, and the others may be asleep.
        // The runtime wakes one of them when something is left for it; having nothing to do, it takes over.
        tokio::spawn(async {});
        tokio::spawn(async move {
            let _slot = self;
            work()
        })
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    pub fn new(time_limit: TimeLimit) -> Self {
        Self { lanes: Lanes::new(), time_limit: Arc::new(time_limit) }
    }

    /// How long the work of a call may take, unless it has a limit of its own.
    pub fn time_limit(&self) -> &Arc<TimeLimit> {
        &self.time_limit
    }

    /// Runs `work` and answers within the timeout, whatever the work does.
    pub async fn run<T, W>(
        &self,
        lane: Lane,
        context: Context,
        cancelled: &CancellationToken,
        reporter: &mut impl Reporter,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Context) -> Result<T> + Send + 'static,
    {
        self.run_within(self.time_limit.get(), lane, context, cancelled, reporter, work).await
    }

    /// The same with a time limit of its own.
    pub async fn run_within<T, W>(
        &self,
        timeout: Duration,
        lane: Lane,
        context: Context,
        cancelled: &CancellationToken,
        reporter: &mut impl Reporter,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Context) -> Result<T> + Send + 'static,
    {
        let end = Instant::now() + timeout;
        // The engine gives up a little earlier, so that its own answer, which knows what happened, comes first.
        let engine_end = end - (timeout / 10).min(Duration::from_secs(1));
        let cancellation = Cancellation::default();
        let context = context.with_deadline(engine_end.into_std()).with_cancellation(cancellation.clone());
        let (client, given) = (context.client().to_owned(), context.clone());
        let turn = tokio::select! {
            // A free place is taken without a look at the clock.
            biased;
            turn = self.lanes.enter(lane, &client) => turn,
            () = cancelled.cancelled() => return Err(was_cancelled()),
            () = sleep_until(engine_end) => return Err(never_started()),
        };
        // What the engine says about itself belongs to the call as well.
        let span = tracing::Span::current();
        let work = move || span.in_scope(|| run_holding(turn, &context, work));
        let mut task = match INLINE_SLOTS.enter(lane) {
            Some(slot) => slot.spawn(work),
            None => tokio::task::spawn_blocking(work),
        };
        let (mut is_cancelled, mut is_late) = (false, false);
        loop {
            tokio::select! {
                done = &mut task => return done.unwrap_or_else(|error| Err(ended(error))),
                () = cancelled.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    cancellation.cancel();
                }
                () = sleep_until(end), if !is_late => {
                    // Past its commit point a call has succeeded, and says so as soon as it can.
                    if given.commit_point().close() {
                        cancellation.cancel();
                        return Err(overdue());
                    }
                    tracing::warn!("the call has committed and is past its time; its answer is waited for");
                    given.note(json!({ "event": "late", "message": "committed, and answered after its time" }));
                    is_late = true;
                }
                () = reporter.due() => reporter.report().await,
            }
        }
    }
}

fn run_holding<T>(_turn: Turn, context: &Context, work: impl FnOnce(&Context) -> Result<T>) -> Result<T> {
    context.check()?;
    work(context)
}

fn was_cancelled() -> Error {
    Error::new(Kind::Machine, Key::Cancelled, "the call was cancelled")
}

fn never_started() -> Error {
    Error::new(Kind::Machine, Key::Timeout, "the call waited too long for its turn")
        .hint("nothing was changed; try again with fewer calls at once")
}

fn overdue() -> Error {
    Error::new(Kind::Machine, Key::Timeout, "the call ran out of time and was told to stop")
        .hint("look at the current state before you repeat it")
}

/// Why work has no answer.
fn ended(error: JoinError) -> Error {
    match error.try_into_panic() {
        // A panic is an answer too.
        Ok(panic) => panicked(panic.as_ref()),
        Err(_) => internal_error("the server is shutting down".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write as _};
    use std::sync::mpsc;
    use std::thread;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Until a call is late; by then its work has begun on any machine.
    const SOON: Duration = Duration::from_secs(2);
    /// Longer than anything takes on a busy machine.
    const PATIENCE: Duration = Duration::from_mins(1);

    fn test_input(pipe: io::PipeReader) -> tokio::net::unix::pipe::Receiver {
        tokio::net::unix::pipe::Receiver::from_owned_fd(pipe.into()).unwrap()
    }

    fn runtime(workers: usize) -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(workers).build().unwrap()
    }

    #[test]
    fn what_is_brief_leaves_half_of_the_threads_to_everything_else() {
        for (workers, places) in [(1, 0), (2, 1), (3, 1), (4, 2)] {
            let here = InlineSlots::default();
            let runtime = runtime(workers);
            let _entered = runtime.enter();
            let mut taken: Vec<_> = std::iter::from_fn(|| here.enter(Lane::StatPath)).take(10).collect();
            assert_eq!(taken.len(), places, "{workers} threads");
            if taken.pop().is_some() {
                assert!(here.enter(Lane::StatPath).is_some());
            }
        }
    }

    #[test]
    fn while_brief_work_takes_long_after_all_the_others_hear_of_what_comes_in() {
        let (first, mut to_first) = io::pipe().unwrap();
        let (second, mut to_second) = io::pipe().unwrap();
        let (begun, has_begun) = mpsc::channel();
        let (release, released) = mpsc::channel();
        let slots: &'static InlineSlots = Box::leak(Box::default());
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_io().build().unwrap();
        let works = runtime.spawn(async move {
            test_input(first).read_u8().await.unwrap();
            let work = move || {
                begun.send(()).unwrap();
                released.recv_timeout(PATIENCE)
            };
            slots.enter(Lane::StatPath).unwrap().spawn(work).await.unwrap()
        });
        let hears = runtime.spawn(async move {
            test_input(second).read_u8().await.unwrap();
            release.send(()).unwrap();
        });
        // One of the threads waits for both streams, the other for the first.
        let is_asleep = |worker| runtime.metrics().worker_park_unpark_count(worker) % 2 == 1;
        while !(is_asleep(0) && is_asleep(1)) {
            thread::yield_now();
        }
        to_first.write_all(b"1").unwrap();
        has_begun.recv().unwrap();
        to_second.write_all(b"2").unwrap();
        runtime.block_on(works).unwrap().expect("the other stream is read meanwhile");
        runtime.block_on(hears).unwrap();
    }

    #[tokio::test]
    async fn past_the_commit_point_the_answer_is_success_however_late() {
        let pool = Pool::new(TimeLimit::new(None));
        let (timeout, never) = (SOON, CancellationToken::new());
        let (release, released) = mpsc::channel::<()>();
        let context = Context::background();
        let work = move |context: &Context| {
            context.pass_commit_point()?;
            // Released only once the time is over and has been noted.
            let _ = released.recv_timeout(PATIENCE);
            context.check()?;
            Ok("done")
        };
        let (noted, mut silent) = (context.clone(), Silent);
        let waits = pool.run_within(timeout, Lane::Write, context, &never, &mut silent, work);
        let releases = async {
            while noted.transcript().is_empty() {
                tokio::task::yield_now().await;
            }
            release.send(()).unwrap();
        };
        let (answer, ()) = tokio::join!(waits, releases);
        assert_eq!(answer.unwrap(), "done");
        assert_eq!(noted.transcript()[0]["event"], "late");
    }

    #[tokio::test]
    async fn who_ran_out_of_time_before_the_commit_point_never_passes_it() {
        let pool = Pool::new(TimeLimit::new(None));
        let (timeout, never) = (SOON, CancellationToken::new());
        let (release, released) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let work = move |context: &Context| {
            let _ = released.recv_timeout(PATIENCE);
            let _ = tell.send(context.pass_commit_point());
            Ok(())
        };
        let answer =
            pool.run_within(timeout, Lane::Write, Context::background(), &never, &mut Silent, work).await;
        assert_eq!(answer.unwrap_err().key, Key::Timeout);
        release.send(()).unwrap();
        assert!(told.recv_timeout(PATIENCE).unwrap().is_err());
    }

    #[test]
    fn without_a_runtime_of_many_threads_there_is_no_place() {
        assert!(InlineSlots::default().enter(Lane::StatPath).is_none());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _entered = runtime.enter();
        assert!(InlineSlots::default().enter(Lane::StatPath).is_none());
    }
}
