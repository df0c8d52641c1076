//! A server's way into the logs (D-7): requests and replies as they pass, and one envelope per tool call.
//!
//! Nothing is kept before there is a workspace to keep it in. A log that cannot be written never fails a call.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use hewto_engine::{Context, Error, record};
use hewto_store::{AuditIdentity, AuditWriter, Layout, OperationEnvelope, WireKind};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a reply waits for its envelope to be written.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// The logs, as one identity writes to them. Clones write to the same.
#[derive(Debug, Clone)]
pub struct AuditLog {
    identity: Arc<AuditIdentity>,
    open: Arc<RwLock<Option<Arc<Open>>>>,
}

/// Logs that are being written.
#[derive(Debug)]
struct Open {
    /// `None` when the writer could not be started.
    writer: Option<AuditWriter>,
    home: Home,
}

/// Where logs are.
#[derive(Debug)]
enum Home {
    /// Where this layout has them; by it paths become handles.
    Layout(Box<Layout>),
    /// In a folder that somebody chose, for good.
    Chosen,
    /// In a folder of the user's, until there is a workspace.
    Interim,
}

impl AuditLog {
    pub fn new(session_id: String) -> Self {
        let identity = Arc::new(AuditIdentity { session_id, principal: None });
        Self { identity, open: Arc::default() }
    }

    /// The same logs for what another identity says and hears.
    #[must_use]
    pub fn of(&self, identity: Arc<AuditIdentity>) -> Self {
        Self { identity, open: Arc::clone(&self.open) }
    }

    pub fn identity(&self) -> &Arc<AuditIdentity> {
        &self.identity
    }

    /// Keeps the logs where this layout has them, from now on; a workspace that is made later brings its own.
    pub fn open(&self, layout: &Layout, context: &Context) {
        let is_open_there = |open: &Open| match &open.home {
            Home::Layout(current) => current.operation_log() == layout.operation_log(),
            Home::Chosen => true,
            Home::Interim => false,
        };
        if self.current().is_some_and(|open| is_open_there(&open)) {
            return;
        }
        self.replace(
            AuditWriter::start(layout, context.clock().clone()),
            Home::Layout(Box::new(layout.clone())),
        );
    }

    /// Keeps the logs in a folder that somebody chose, from now on.
    pub fn open_in(&self, folder: &Path, context: &Context) {
        if self.current().is_none_or(|open| !matches!(open.home, Home::Chosen)) {
            self.replace(AuditWriter::start_in(folder, context.clock().clone()), Home::Chosen);
        }
    }

    /// Keeps them in this folder until there is a workspace.
    pub(crate) fn open_for_now(&self, folder: &Path, context: &Context) {
        if self.current().is_none() {
            self.replace(AuditWriter::start_in(folder, context.clock().clone()), Home::Interim);
        }
    }

    fn replace(&self, writer: std::io::Result<AuditWriter>, home: Home) {
        let writer = writer.inspect_err(|error| tracing::warn!(%error, "calls are not logged")).ok();
        let open = Arc::new(Open { writer, home });
        // What went to the old log is written before its writer ends.
        let old = self.open.write().unwrap_or_else(PoisonError::into_inner).replace(open);
        drop(old);
    }

    fn current(&self) -> Option<Arc<Open>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn request(&self, message: &[u8]) {
        self.wire(WireKind::Request, message);
    }

    pub fn response(&self, message: &[u8]) {
        self.wire(WireKind::Response, message);
    }

    /// Notes an attempt that was turned away before anybody knew whose it was.
    pub fn refused(&self, attempt: &Value) {
        self.wire(WireKind::Refused, attempt.to_string().as_bytes());
    }

    fn wire(&self, kind: WireKind, message: &[u8]) {
        if let Some(writer) = self.current().as_deref().and_then(|open| open.writer.as_ref()) {
            writer.wire(&self.identity, kind, message);
        }
    }

    /// Notes how an operation went.
    pub(crate) fn operation(
        &self,
        mut envelope: OperationEnvelope,
        context: &Context,
        error: Option<&Error>,
    ) {
        let Some(open) = self.current() else { return };
        let Some(writer) = &open.writer else { return };
        let layout = match &open.home {
            Home::Layout(layout) => Some(&**layout),
            Home::Chosen | Home::Interim => None,
        };
        record::complete(&mut envelope, context, layout, error);
        writer.operation(envelope);
    }

    /// Waits until everything noted so far is written, or long enough.
    pub async fn flush(&self) {
        let Some(open) = self.current() else { return };
        let Some(writer) = &open.writer else { return };
        let (written, wait) = oneshot::channel();
        writer.when_written(move || {
            // Whoever waits may have given up.
            let _ = written.send(());
        });
        if timeout(FLUSH_LIMIT, wait).await.is_err() {
            tracing::warn!("the logs are not written yet");
        }
    }
}

#[cfg(test)]
mod tests {
    use hewto_engine::{Start, Workspace};
    use hewto_testkit::TestWorkspace;

    use super::*;

    fn layout(of: &TestWorkspace) -> Layout {
        Workspace::discover(Start::Here(of.root())).unwrap().layout().clone()
    }

    #[test]
    fn a_workspace_that_is_made_later_takes_the_logs_over() {
        let (first, second) = (TestWorkspace::native(), TestWorkspace::native());
        let context = Context::background();
        let audit = AuditLog::new("s".to_owned());
        audit.request(b"lost: there is no log yet");
        audit.open(&layout(&first), &context);
        audit.request(br#"{"id":1}"#);
        audit.open(&layout(&second), &context);
        audit.request(br#"{"id":2}"#);
        drop(audit);
        let log = |of: &TestWorkspace| {
            fs_err::read_to_string(of.root().join(".hewto/logs/session-s.jsonl")).unwrap_or_default()
        };
        assert!(log(&first).contains("\"id\":1") && !log(&first).contains("\"id\":2"), "{}", log(&first));
        assert!(log(&second).contains("\"id\":2"), "{}", log(&second));
    }

    #[test]
    fn a_folder_that_somebody_chose_stays() {
        let (chosen, workspace) = (TestWorkspace::native(), TestWorkspace::native());
        let context = Context::background();
        let audit = AuditLog::new("s".to_owned());
        audit.open_in(&chosen.root().join("logs"), &context);
        audit.open(&layout(&workspace), &context);
        audit.request(br#"{"id":1}"#);
        drop(audit);
        assert!(!workspace.root().join(".hewto/logs").exists());
    }
}
