//! How an operation went, for the operation log (D-7): the server's calls, and the commands that go the same way.

use hewto_store::{Change, Context, Layout, OperationEnvelope, OperationStatus, TouchedArtifact};
use serde_json::Value;

use crate::error::{Error, Key};
use crate::graph::handle_of;

/// Ends an envelope: what was touched, what was said, and how it came out.
pub fn complete(
    envelope: &mut OperationEnvelope,
    ctx: &Context,
    layout: Option<&Layout>,
    error: Option<&Error>,
) {
    envelope.artifacts = ctx.committed().iter().map(|change| touched(layout, change)).collect();
    envelope.transcript = ctx.transcript();
    envelope.finish(ctx.now(), status(error), error.map(Error::to_json));
}

/// What the caller should hear though nothing was refused: that somebody else has claimed the work.
pub fn remarks(ctx: &Context) -> Vec<Value> {
    ctx.transcript().into_iter().filter(is_remark).collect()
}

/// Whether something that was noted, or is open, is such a remark.
pub fn is_remark(noted: &Value) -> bool {
    noted["key"] == Key::Claimed.as_str()
}

/// What an error makes of an operation.
pub fn status(error: Option<&Error>) -> OperationStatus {
    match error.map(|error| error.key) {
        None => OperationStatus::Succeeded,
        Some(Key::Timeout) => OperationStatus::TimedOut,
        Some(Key::Cancelled) => OperationStatus::Cancelled,
        Some(_) => OperationStatus::Failed,
    }
}

fn touched(layout: Option<&Layout>, change: &Change) -> TouchedArtifact {
    let artifact = layout.and_then(|layout| handle_of(layout, &change.path));
    TouchedArtifact { artifact, path: change.path.to_string(), action: change.action }
}
