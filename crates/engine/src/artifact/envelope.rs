//! Operation envelopes as answers.

use hewto_store::{Context, LockIntent, OperationEnvelope};
use serde_json::Value;

use crate::record::complete;
use crate::view::{EnvelopeView, TouchedView};
use crate::workspace::Workspace;

/// The envelope of an operation that has done its work.
pub(super) fn succeeded(ws: &Workspace, ctx: &Context, inputs: Value) -> EnvelopeView {
    let mut envelope = OperationEnvelope::start(ctx, &ctx.caller().operation, inputs, LockIntent::Write);
    complete(&mut envelope, ctx, Some(ws.layout()), None);
    envelope_view(&envelope)
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
