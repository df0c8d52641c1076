//! What all calls of one server go through.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_engine::{Context, Error, Kind, Result};
use tokio_util::sync::CancellationToken;

use crate::audit::AuditLog;
use crate::operation::Operation;
use crate::pool::{Pool, Reporter};
use crate::rate::Rates;

/// The rates, the threads and the logs of a server.
#[derive(Debug)]
pub struct Pipeline {
    pool: Pool,
    rates: Arc<Rates>,
    audit: AuditLog,
}

impl Pipeline {
    pub fn new(pool: Pool, rates: Arc<Rates>, audit: AuditLog) -> Self {
        Self { pool, rates, audit }
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
        let envelope = operation.into_envelope(context);
        let outcome = work.await;
        self.audit.operation(envelope, context, outcome.as_ref().err());
        outcome
    }
}

fn rate_limited(wait: Duration) -> Error {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    Error::new(Kind::Refused, "rate_limited", None, "too many calls in too short a time")
        .detail("retry_after_ms", millis)
        .hint(format!("wait {millis} ms before the next call"))
}
