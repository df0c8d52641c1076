//! How sound a workspace is, computed behind the board: once for each state of the documents, never while somebody waits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hewto_call::{Lane, Pipeline, Silent};
use hewto_engine::Context;
use hewto_engine::check::{self, Strictness};
use hewto_engine::dashboard::WorkWatch;
use hewto_engine::view::SummaryView;
use tokio_util::sync::CancellationToken;

/// What is known of the health of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Health {
    known: Mutex<Option<(u64, SummaryView)>>,
    is_computing: AtomicBool,
    generation: AtomicU64,
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
    ) -> Option<SummaryView> {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, summary)) = known
            && of == mark
        {
            return Some(summary);
        }
        if !self.is_computing.swap(true, Ordering::AcqRel) {
            let (health, pipeline, context) = (Arc::clone(self), Arc::clone(pipeline), context.clone());
            let work = Arc::clone(work);
            tokio::spawn(async move {
                let found = summary(&pipeline, work, context).await;
                if let Some(found) = found {
                    *health.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                    health.generation.fetch_add(1, Ordering::AcqRel);
                }
                health.is_computing.store(false, Ordering::Release);
            });
        }
        None
    }
}

async fn summary(pipeline: &Pipeline, watch: Arc<WorkWatch>, context: Context) -> Option<(u64, SummaryView)> {
    let project = Arc::clone(pipeline.project());
    let work = move |context: &Context| {
        let workspace = project.workspace()?;
        let mark = watch.documents(workspace, context)?;
        Ok((mark, check::validate(workspace, context, Strictness::Normal)?.summary))
    };
    let cancelled = CancellationToken::new();
    pipeline.pool().run(Lane::Walk, context, &cancelled, &mut Silent, work).await.ok()
}
