//! The server's way into the logs (D-7): requests and replies as they pass, and one envelope per tool call.
//!
//! Nothing is kept before there is a workspace to keep it in. A log that cannot be written never fails a call.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hewto_engine::{Context, Error, record};
use hewto_store::{AuditWriter, Layout, LockIntent, OperationEnvelope, Speaker, WireKind};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a reply waits for its envelope to be written.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// The logs, as one speaker writes to them. Clones write to the same.
#[derive(Debug, Clone)]
pub(crate) struct Trail {
    speaker: Arc<Speaker>,
    /// Empty until there is a workspace; `None` when the writer could not be started.
    writer: Arc<OnceLock<Option<AuditWriter>>>,
    /// By which paths become handles.
    layout: Arc<OnceLock<Layout>>,
}

impl Trail {
    pub(crate) fn new(session_id: String) -> Self {
        let speaker = Arc::new(Speaker { session_id, principal: None });
        Self { speaker, writer: Arc::default(), layout: Arc::default() }
    }

    /// The same logs for what another speaker says and hears.
    pub(crate) fn of(&self, speaker: Arc<Speaker>) -> Self {
        Self { speaker, writer: Arc::clone(&self.writer), layout: Arc::clone(&self.layout) }
    }

    pub(crate) fn speaker(&self) -> &Arc<Speaker> {
        &self.speaker
    }

    /// Keeps the logs in the place that this layout has for them, from now on.
    pub(crate) fn open(&self, layout: &Layout, context: &Context) {
        self.layout.get_or_init(|| layout.clone());
        self.writer.get_or_init(|| {
            AuditWriter::start(layout, context.clock().clone())
                .inspect_err(|error| tracing::warn!(%error, "calls are not logged"))
                .ok()
        });
    }

    /// Keeps the logs in a folder of their own, from now on.
    pub(crate) fn open_in(&self, folder: &Path, context: &Context) {
        self.writer.get_or_init(|| {
            AuditWriter::start_in(folder, context.clock().clone())
                .inspect_err(|error| tracing::warn!(%error, "calls are not logged"))
                .ok()
        });
    }

    pub(crate) fn request(&self, message: &[u8]) {
        if let Some(writer) = self.writer() {
            writer.wire(&self.speaker, WireKind::Request, message);
        }
    }

    pub(crate) fn response(&self, message: &[u8]) {
        if let Some(writer) = self.writer() {
            writer.wire(&self.speaker, WireKind::Response, message);
        }
    }

    /// Notes how a tool call went.
    pub(crate) fn operation(
        &self,
        mut envelope: OperationEnvelope,
        context: &Context,
        error: Option<&Error>,
    ) {
        let Some(writer) = self.writer() else { return };
        record::complete(&mut envelope, context, self.layout.get(), error);
        writer.operation(envelope);
    }

    /// Waits until everything noted so far is written, or long enough.
    pub(crate) async fn flush(&self) {
        let Some(writer) = self.writer() else { return };
        let (written, wait) = oneshot::channel();
        writer.when_written(move || {
            // Whoever waits may have given up.
            let _ = written.send(());
        });
        if timeout(FLUSH_LIMIT, wait).await.is_err() {
            tracing::warn!("the logs are not written yet");
        }
    }

    fn writer(&self) -> Option<&AuditWriter> {
        self.writer.get()?.as_ref()
    }
}

/// What a call that begins now will be remembered by.
pub(crate) fn envelope(context: &Context, inputs: Value, lock_intent: LockIntent) -> OperationEnvelope {
    OperationEnvelope::start(context, &context.caller().operation, inputs, lock_intent)
}
