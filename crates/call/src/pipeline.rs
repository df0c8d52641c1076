//! What all calls of one server go through.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hewto_engine::dashboard::Presence;
use hewto_engine::{Context, Error, Key, Kind, Project, Result};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::audit::AuditLog;
use crate::operation::Operation;
use crate::pool::{Pool, Reporter};
use crate::rate::{RateLimit, Rates};

/// A call that is over sooner is not shown among those under way.
const UNSEEN: Duration = Duration::from_millis(250);

/// A project, and the rates, the threads and the logs of a server for it.
#[derive(Debug)]
pub struct Pipeline {
    project: Arc<Project>,
    logs: LogFolders,
    pool: Pool,
    rates: Arc<Rates>,
    audit: AuditLog,
    /// Whether logs and limits are those of the workspace.
    is_settled: AtomicBool,
}

/// Where logs go that are not the workspace's.
#[derive(Debug, Default)]
pub struct LogFolders {
    /// Whatever else holds.
    pub chosen: Option<PathBuf>,
    /// When folders are allowed by name and there is no workspace.
    pub state: Option<PathBuf>,
}

impl Pipeline {
    pub fn new(project: Arc<Project>, logs: LogFolders, pool: Pool, audit: AuditLog) -> Self {
        let rates = Arc::new(Rates::new(RateLimit::default()));
        Self { project, logs, pool, rates, audit, is_settled: AtomicBool::new(false) }
    }

    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// Begins the logs: where the user says, in the workspace, or (D-3), where there is none, in the user's state
    /// folder when folders are allowed by name, else in the git folder of the repository.
    pub fn open_logs(&self, context: &Context) {
        if let Some(folder) = &self.logs.chosen {
            self.audit.open_in(folder, context);
        }
        self.settle(context);
        if self.is_settled.load(Ordering::Acquire) {
            return;
        }
        if self.project.has_named_roots() {
            if let Some(folder) = &self.logs.state {
                self.audit.open_for_now(folder, context);
            }
        } else if let Ok(repository) = self.project.repository(None) {
            self.audit.open(repository.layout(), context);
        }
    }

    /// Goes by the workspace from now on, as soon as there is one: its logs and its limits (D-2).
    pub fn settle(&self, context: &Context) {
        if self.is_settled.load(Ordering::Acquire) {
            return;
        }
        let Ok(workspace) = self.project.workspace() else { return };
        match &self.logs.chosen {
            Some(folder) => self.audit.open_in(folder, context),
            None => self.audit.open(workspace.layout(), context),
        }
        let configuration = workspace.configuration(context);
        for fault in &configuration.findings {
            let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
            tracing::warn!("{}{line}: {} ({})", fault.file, fault.message, fault.hint);
        }
        if !self.is_settled.swap(true, Ordering::AcqRel) {
            if let Some(rate) = configuration.config.rate {
                self.rates.set_limit(rate.into());
            }
            self.pool.time_limit().adopt(configuration.config.call_timeout);
        }
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    pub fn rates(&self) -> &Arc<Rates> {
        &self.rates
    }

    pub fn audit(&self) -> &AuditLog {
        &self.audit
    }

    /// Counts a call, unless its caller has a principal: whoever checked that has counted it by its name.
    pub fn admit(&self, context: &Context) -> Result<()> {
        if context.caller().principal.is_some() {
            return Ok(());
        }
        self.rates.take(None, Instant::now()).map_err(rate_limited)
    }

    /// Runs one operation from beginning to end: counted, in its lane and time, and noted in the log.
    pub async fn run<T, W>(
        &self,
        operation: Operation,
        context: &Context,
        cancelled: &CancellationToken,
        reporter: &mut impl Reporter,
        work: W,
    ) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Context) -> Result<T> + Send + 'static,
    {
        let lane = operation.lane;
        self.noted(operation, context, async {
            self.admit(context)?;
            self.pool.run(lane, context.clone(), cancelled, reporter, work).await
        })
        .await
    }

    /// Notes in the log how an operation goes that a face carries out in steps of its own, such as a dialog.
    pub async fn noted<T>(
        &self,
        operation: Operation,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.settle(context);
        let envelope = operation.into_envelope(context);
        let outcome = self.seen_if_slow(context, Box::pin(work)).await;
        self.audit.operation(envelope, context, outcome.as_ref().err());
        outcome
    }

    /// Shows a call that takes long to whoever looks at what goes on.
    async fn seen_if_slow<T>(&self, context: &Context, mut work: Pin<Box<impl Future<Output = T>>>) -> T {
        if let Ok(done) = timeout(UNSEEN, &mut work).await {
            return done;
        }
        let _shown = self.project.workspace().ok().map(|workspace| {
            let (workspace, context) = (workspace.clone(), context.clone());
            Shown(Some(spawn_blocking(move || Presence::show(workspace, &context))))
        });
        work.await
    }
}

/// A call that is shown until this is dropped. The disk is waited for on other threads than those that answer.
struct Shown(Option<JoinHandle<Option<Presence>>>);

impl Drop for Shown {
    fn drop(&mut self) {
        if let (Some(shown), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async {
                if let Ok(presence) = shown.await {
                    spawn_blocking(move || drop(presence));
                }
            });
        }
    }
}

fn rate_limited(wait: Duration) -> Error {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    Error::new(Kind::Refused, Key::RateLimited, "too many calls in too short a time")
        .detail("retry_after_ms", millis)
        .hint(format!("wait {millis} ms before the next call"))
}
