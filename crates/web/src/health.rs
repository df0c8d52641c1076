//! How sound a workspace is, computed behind the pages: once for each state of the documents, never while somebody waits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hewto_call::{Lane, Pipeline, Silent};
use hewto_engine::Context;
use hewto_engine::check::{self, Strictness};
use hewto_engine::dashboard::WorkWatch;
use hewto_engine::view::ReportView;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What is known of the health of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Health {
    known: Mutex<Option<(u64, Arc<ReportView>)>>,
    is_computing: AtomicBool,
    generation: AtomicU64,
    computed: Notify,
}

/// What came of waiting a while.
#[derive(Debug)]
pub(crate) enum Waited {
    Known(Arc<ReportView>),
    /// It takes longer.
    NotYet,
    /// It could not be computed, or the documents have changed meanwhile.
    Nothing,
}

impl Health {
    /// Goes up whenever something else is known.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// What is known of this state of the documents; if nothing is, it is going to be.
    pub(crate) fn of(
        self: &Arc<Self>,
        mark: u64,
        pipeline: &Arc<Pipeline>,
        work: &Arc<WorkWatch>,
        context: &Context,
    ) -> Option<Arc<ReportView>> {
        if let Some(report) = self.known(mark) {
            return Some(report);
        }
        if !self.is_computing.swap(true, Ordering::AcqRel) {
            let (health, pipeline, context) = (Arc::clone(self), Arc::clone(pipeline), context.clone());
            let work = Arc::clone(work);
            tokio::spawn(async move {
                if let Some(found) = report(&pipeline, work, context).await {
                    *health.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                    health.generation.fetch_add(1, Ordering::AcqRel);
                }
                health.is_computing.store(false, Ordering::Release);
                health.computed.notify_waiters();
            });
        }
        None
    }

    /// The same for whoever can wait for a moment.
    pub(crate) async fn wait(
        self: &Arc<Self>,
        mark: u64,
        pipeline: &Arc<Pipeline>,
        work: &Arc<WorkWatch>,
        context: &Context,
        patience: Duration,
    ) -> Waited {
        // Listening begins before the work does.
        let computed = self.computed.notified();
        if let Some(report) = self.of(mark, pipeline, work, context) {
            return Waited::Known(report);
        }
        match tokio::time::timeout(patience, computed).await {
            Err(_) => Waited::NotYet,
            Ok(()) => self.known(mark).map_or(Waited::Nothing, Waited::Known),
        }
    }

    fn known(&self, mark: u64) -> Option<Arc<ReportView>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(of, _)| *of == mark).map(|(_, report)| Arc::clone(report))
    }
}

async fn report(
    pipeline: &Pipeline,
    watch: Arc<WorkWatch>,
    context: Context,
) -> Option<(u64, Arc<ReportView>)> {
    let project = Arc::clone(pipeline.project());
    let work = move |context: &Context| {
        let workspace = project.workspace()?;
        let mark = watch.documents(workspace, context)?;
        Ok((mark, Arc::new(check::validate(workspace, context, Strictness::Normal)?)))
    };
    let cancelled = CancellationToken::new();
    pipeline.pool().run(Lane::Walk, context, &cancelled, &mut Silent, work).await.ok()
}
