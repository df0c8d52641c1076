//! The one way from async code into the engine: a bounded number of blocking threads, a deadline, cancellation,
//! progress and a guard against panics (D-12).
//!
//! The caller always gets an answer in time. Work that overstays is told to stop and keeps its place until it does.

use std::any::Any;
use std::time::Duration;

use hewto_engine::{Cancellation, Context, Error, Kind, Progress, ProgressSink, Result};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::watch;
use tokio::task::JoinError;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use crate::lanes::{Lane, Lanes, Turn};

/// How long work may take before the client hears of it (D-12).
const QUIET_TIME: Duration = Duration::from_secs(2);
/// How often it hears of it from then on.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Runs engine calls.
#[derive(Debug)]
pub(crate) struct Workers {
    lanes: Lanes,
    timeout: Duration,
    /// Work that takes longer than this reports its progress.
    quiet_time: Duration,
}

impl Workers {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self { lanes: Lanes::new(), timeout, quiet_time: QUIET_TIME }
    }

    #[cfg(test)]
    pub(crate) fn with_quiet_time(self, quiet_time: Duration) -> Self {
        Self { quiet_time, ..self }
    }

    /// Runs `work` and answers within the timeout, whatever the work does.
    pub(crate) async fn run<T, W>(
        &self,
        lane: Lane,
        context: Context,
        request: &RequestContext<RoleServer>,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Context) -> Result<T> + Send + 'static,
    {
        self.run_within(self.timeout, lane, context, request, work).await
    }

    /// The same with a time limit of its own.
    pub(crate) async fn run_within<T, W>(
        &self,
        timeout: Duration,
        lane: Lane,
        context: Context,
        request: &RequestContext<RoleServer>,
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
        let (reports, progress) = watch::channel(None);
        let context = context
            .with_deadline(engine_end.into_std())
            .with_cancellation(cancellation.clone())
            .with_progress(ProgressSink::new(move |progress| {
                reports.send_replace(Some(progress));
            }));

        let client = context.client().to_owned();
        let turn = tokio::select! {
            turn = self.lanes.enter(lane, &client) => turn,
            () = request.ct.cancelled() => return Err(cancelled()),
            () = sleep_until(engine_end) => return Err(never_started()),
        };
        let mut task = tokio::task::spawn_blocking(move || run_holding(turn, &context, work));
        let mut reporter = Reporter::new(request, progress, self.quiet_time, Manner::of(lane));
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                done = &mut task => return done.unwrap_or_else(|error| Err(crashed(error))),
                () = request.ct.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    cancellation.cancel();
                }
                () = sleep_until(end) => {
                    cancellation.cancel();
                    return Err(overdue());
                }
                () = reporter.due() => reporter.send().await,
            }
        }
    }
}

fn run_holding<T>(_turn: Turn, context: &Context, work: impl FnOnce(&Context) -> Result<T>) -> Result<T> {
    context.check()?;
    work(context)
}

/// How a client hears of what goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Now and then, once it takes long.
    Ticks,
    /// Line by line, as it comes.
    Stream,
}

impl Manner {
    fn of(lane: Lane) -> Self {
        if lane == Lane::Run { Self::Stream } else { Self::Ticks }
    }
}

/// Sends `notifications/progress` while the work is long and the client wants to hear of it.
struct Reporter<'r> {
    request: &'r RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    progress: watch::Receiver<Option<Progress>>,
    manner: Manner,
    /// Whether the latest line is news.
    is_news: bool,
    began: Instant,
    ticks: tokio::time::Interval,
    /// The number last sent; the protocol wants it to grow.
    last: f64,
}

impl<'r> Reporter<'r> {
    fn new(
        request: &'r RequestContext<RoleServer>,
        progress: watch::Receiver<Option<Progress>>,
        quiet_time: Duration,
        manner: Manner,
    ) -> Self {
        let began = Instant::now();
        let mut ticks = interval_at(began + quiet_time, PROGRESS_INTERVAL.min(quiet_time));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let token = request.meta.get_progress_token();
        Self { request, token, progress, manner, is_news: false, began, ticks, last: 0.0 }
    }

    /// Waits until a report is due; for ever when nobody wants one.
    async fn due(&mut self) {
        if self.token.is_none() {
            return std::future::pending().await;
        }
        if self.manner == Manner::Ticks {
            self.ticks.tick().await;
            return;
        }
        self.is_news = tokio::select! {
            line = self.progress.changed() => match line {
                Ok(()) => true,
                // The work is done; its answer is next.
                Err(_) => std::future::pending().await,
            },
            _ = self.ticks.tick() => false,
        };
    }

    /// Sends the report before anything else is sent about this call.
    async fn send(&mut self) {
        let Some(note) = self.note().filter(|note| note.progress > self.last) else { return };
        self.last = note.progress;
        // A client that is gone needs no progress.
        let _ = self.request.peer.notify_progress(note).await;
    }

    fn note(&self) -> Option<ProgressNotificationParam> {
        let token = self.token.clone()?;
        let seconds = self.began.elapsed().as_secs();
        let working = || format!("working for {seconds} s");
        let progress = self.progress.borrow().clone();
        if self.manner == Manner::Stream {
            // Lines are counted as they are sent; a silent program still shows that it is alive.
            let line = progress.filter(|_| self.is_news).map(|progress| progress.message);
            let message = line.unwrap_or_else(working);
            return Some(ProgressNotificationParam::new(token, self.last + 1.0).with_message(message));
        }
        let Some(progress) = progress else {
            return Some(ProgressNotificationParam::new(token, as_f64(seconds)).with_message(working()));
        };
        let note =
            ProgressNotificationParam::new(token, as_f64(progress.done)).with_message(progress.message);
        Some(match progress.total {
            Some(total) => note.with_total(as_f64(total)),
            None => note,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "progress numbers are small, and only shown")]
fn as_f64(number: u64) -> f64 {
    number as f64
}

fn cancelled() -> Error {
    Error::new(Kind::Machine, "cancelled", None, "the call was cancelled")
}

fn never_started() -> Error {
    Error::new(Kind::Machine, "timeout", None, "the call waited too long for its turn")
        .hint("nothing was changed; try again with fewer calls at once")
}

fn overdue() -> Error {
    Error::new(Kind::Machine, "timeout", None, "the call ran out of time and was told to stop")
        .hint("look at the current state before you repeat it")
}

/// A panic is an answer too.
fn crashed(error: JoinError) -> Error {
    let message = match error.try_into_panic() {
        Ok(panic) => format!("this is a bug in hewto: {}", panic_text(panic.as_ref())),
        Err(_) => "the server is shutting down".to_owned(),
    };
    internal_error(message)
}

pub(crate) fn internal_error(message: String) -> Error {
    Error::new(Kind::Machine, "internal_error", Some(-32603), message)
        .hint("look at the current state before you repeat the call, and report the bug")
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}
