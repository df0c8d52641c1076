//! The one way from async code into the engine: a bounded number of blocking threads, a deadline, cancellation,
//! progress and a guard against panics (D-12).
//!
//! The caller always gets an answer in time. Work that overstays is told to stop and keeps its place until it does.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use hewto_engine::{Cancellation, Context, Error, Kind, ProgressSink, Result};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::watch;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};

use crate::call_time::CallTime;
use crate::heartbeat::{HEARTBEAT, Manner, Reporter};
use crate::lanes::{Lane, Lanes, Turn};

/// Runs engine calls.
#[derive(Debug)]
pub(crate) struct Workers {
    lanes: Lanes,
    call_time: Arc<CallTime>,
    heartbeat: Duration,
}

impl Workers {
    pub(crate) fn new(call_time: CallTime) -> Self {
        Self { lanes: Lanes::new(), call_time: Arc::new(call_time), heartbeat: HEARTBEAT }
    }

    /// How long the work of a call may take, unless it has a limit of its own.
    pub(crate) fn call_time(&self) -> &Arc<CallTime> {
        &self.call_time
    }

    #[cfg(test)]
    pub(crate) fn with_heartbeat(self, heartbeat: Duration) -> Self {
        Self { heartbeat, ..self }
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
        self.run_within(self.call_time.get(), lane, context, request, work).await
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
        let mut reporter = Reporter::new(request, &context, progress, self.heartbeat, Manner::of(lane));
        let context = context
            .with_deadline(engine_end.into_std())
            .with_cancellation(cancellation.clone())
            .with_progress(ProgressSink::new(move |progress| {
                reports.send_replace(Some(progress));
            }));

        let client = context.client().to_owned();
        let turn = tokio::select! {
            // A free place is taken without a look at the clock.
            biased;
            turn = self.lanes.enter(lane, &client) => turn,
            () = request.ct.cancelled() => return Err(cancelled()),
            () = sleep_until(engine_end) => return Err(never_started()),
        };
        // What the engine says about itself belongs to the call as well.
        let span = tracing::Span::current();
        let mut task =
            tokio::task::spawn_blocking(move || span.in_scope(|| run_holding(turn, &context, work)));
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
