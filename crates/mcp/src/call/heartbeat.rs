//! Signs of life of a call that takes long: progress for clients that asked for it, and one warning after a silence for
//! those that asked for log messages (D-12).

use std::time::Duration;

use hewto_call::{Lane, Reporter};
use hewto_engine::{Context, Progress, ProgressSink};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::client_log;

/// How long work may take before the client hears of it, and how often it does from then on.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(2);
/// After so many heartbeats that did not come, the client is warned.
const MISSED_HEARTBEATS: u32 = 5;

/// How a client hears of what goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Now and then, once it takes long.
    Ticks,
    /// Line by line, as it comes.
    Stream,
}

impl Manner {
    pub(crate) fn of(lane: Lane) -> Self {
        if lane == Lane::Run { Self::Stream } else { Self::Ticks }
    }
}

/// Reports on one call; what the work says reaches it through the context that comes with it.
pub(crate) struct Heartbeat<'r> {
    request: &'r RequestContext<RoleServer>,
    operation: String,
    token: Option<ProgressToken>,
    progress: watch::Receiver<Option<Progress>>,
    manner: Manner,
    /// Whether the latest line is news.
    is_news: bool,
    began: Instant,
    ticks: Interval,
    /// The number last sent; the protocol wants it to grow.
    last: f64,
    /// When the client last heard of the call.
    heard: Instant,
    patience: Duration,
    has_warned: bool,
}

impl<'r> Heartbeat<'r> {
    pub(crate) fn new(
        request: &'r RequestContext<RoleServer>,
        context: Context,
        heartbeat: Duration,
        manner: Manner,
    ) -> (Self, Context) {
        let (reports, progress) = watch::channel(None);
        let began = Instant::now();
        let mut ticks = interval_at(began + heartbeat, heartbeat);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let reporter = Self {
            request,
            operation: context.caller().operation.clone(),
            token: request.meta.get_progress_token(),
            progress,
            manner,
            is_news: false,
            began,
            ticks,
            last: 0.0,
            heard: began,
            patience: heartbeat * MISSED_HEARTBEATS,
            has_warned: false,
        };
        let context = context.with_progress(ProgressSink::new(move |progress| {
            reports.send_replace(Some(progress));
        }));
        (reporter, context)
    }

    fn note(&self) -> Option<ProgressNotificationParam> {
        let token = self.token.clone()?;
        let elapsed = self.began.elapsed();
        let working = || format!("working for {} s", elapsed.as_secs());
        let progress = self.progress.borrow().clone();
        if self.manner == Manner::Stream {
            // Lines are counted as they are sent; a silent program still shows that it is alive.
            let line = progress.filter(|_| self.is_news).map(|progress| progress.message);
            let message = line.unwrap_or_else(working);
            return Some(ProgressNotificationParam::new(token, self.last + 1.0).with_message(message));
        }
        let Some(progress) = progress else {
            return Some(
                ProgressNotificationParam::new(token, elapsed.as_secs_f64()).with_message(working()),
            );
        };
        let note =
            ProgressNotificationParam::new(token, as_f64(progress.done)).with_message(progress.message);
        Some(match progress.total {
            Some(total) => note.with_total(as_f64(total)),
            None => note,
        })
    }
}

impl Reporter for Heartbeat<'_> {
    /// Waits until a report is due; for ever when nobody wants one.
    async fn due(&mut self) {
        if self.token.is_none() && !client_log::is_wanted(self.request) {
            return std::future::pending().await;
        }
        if self.manner == Manner::Ticks || self.token.is_none() {
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
    async fn report(&mut self) {
        if let Some(note) = self.note().filter(|note| note.progress > self.last) {
            self.last = note.progress;
            self.heard = Instant::now();
            client_log::unless_cancelled(self.request, self.request.peer.notify_progress(note)).await;
        } else if !self.has_warned && self.heard.elapsed() >= self.patience {
            self.has_warned = true;
            let silent = self.heard.elapsed().as_secs();
            client_log::warn_of_silence(self.request, &self.operation, silent).await;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "progress numbers are small, and only shown")]
fn as_f64(number: u64) -> f64 {
    number as f64
}
