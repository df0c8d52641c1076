//! Operation envelopes as answers.

use hewto_store::{
    Committed, Context, LockIntent, OperationEnvelope, OperationStatus, RelPath, TouchedArtifact,
};
use serde_json::Value;

use crate::graph::handle_of;
use crate::view::{EnvelopeView, TouchedView};
use crate::workspace::Workspace;

/// The envelope of an operation that has done its work.
pub(super) fn succeeded(
    ws: &Workspace,
    ctx: &Context,
    inputs: Value,
    committed: Option<&Committed>,
) -> EnvelopeView {
    let capability = ctx.caller().operation.clone();
    let mut envelope = OperationEnvelope::start(ctx, &capability, inputs, LockIntent::Write);
    if let Some(committed) = committed {
        envelope.record(committed);
    }
    for touched in &mut envelope.artifacts {
        touched.artifact = touched_handle(ws, touched);
    }
    envelope.transcript = ctx.transcript();
    envelope.finish(ctx.now(), OperationStatus::Succeeded, None);
    envelope_view(&envelope)
}

fn touched_handle(ws: &Workspace, touched: &TouchedArtifact) -> Option<String> {
    let path = RelPath::parse(&touched.path).ok()?;
    handle_of(ws.layout(), &path)
}

pub(crate) fn envelope_view(envelope: &OperationEnvelope) -> EnvelopeView {
    EnvelopeView {
        operation_id: envelope.operation_id.clone(),
        session_id: envelope.session_id.clone(),
        principal: envelope.principal.clone(),
        protocol_version: envelope.protocol_version.clone(),
        capability_id: envelope.capability_id.clone(),
        inputs: envelope.inputs.clone(),
        started_at: envelope.started_at.to_string(),
        finished_at: envelope.finished_at.map(|at| at.to_string()),
        artifacts: envelope
            .artifacts
            .iter()
            .map(|touched| TouchedView {
                artifact: touched.artifact.clone(),
                path: touched.path.clone(),
                action: touched.action.as_str().to_owned(),
            })
            .collect(),
        lock_intent: envelope.lock_intent.as_str().to_owned(),
        transcript: envelope.transcript.clone(),
        status: envelope.status.as_str().to_owned(),
        error: envelope.error.clone(),
    }
}
