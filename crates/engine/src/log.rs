//! What was done in a workspace, or in a git repository that is none, and by whom: the operation log for people.

use hewto_store::{Context, Layout, OperationEnvelope, OperationLog};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::operations::OperationQuery;

/// Recent operations, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LogView {
    pub operations: Vec<OperationView>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OperationView {
    pub operation_id: String,
    pub session_id: String,
    /// Who did it: a principal, or the user of the command line
    pub principal: Option<String>,
    /// How they came in: mcp, cli or web
    pub channel: Option<String>,
    pub tool: String,
    pub status: String,
    pub started_at: String,
    pub duration_ms: Option<u64>,
    /// What was created, modified, deleted or moved
    pub artifacts: Vec<ArtifactView>,
    /// Why it failed, where it did
    pub error: Option<String>,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactView {
    pub path: String,
    pub action: String,
}

/// The newest operations that match, `limit` at most.
pub fn read(layout: &Layout, ctx: &Context, query: &OperationQuery, limit: usize) -> Result<LogView> {
    let filter = query.filter(ctx)?;
    let log = OperationLog::open(layout)?;
    let everything = log.len();
    let mut operations = Vec::new();
    for (_, envelope) in log.below(everything, filter).take(limit) {
        ctx.check()?;
        operations.push(view(&envelope));
    }
    operations.reverse();
    Ok(LogView { operations })
}

fn view(envelope: &OperationEnvelope) -> OperationView {
    let reason =
        |error: &serde_json::Value| error.get("message").and_then(|text| text.as_str()).map(str::to_owned);
    OperationView {
        operation_id: envelope.operation_id.clone(),
        session_id: envelope.session_id.clone(),
        principal: envelope.principal.clone(),
        channel: envelope.channel.map(|channel| channel.as_str().to_owned()),
        tool: envelope.capability_id.clone(),
        status: envelope.status.as_str().to_owned(),
        started_at: envelope.started_at.to_string(),
        duration_ms: envelope.duration_ms,
        artifacts: envelope
            .artifacts
            .iter()
            .map(|touched| ArtifactView {
                path: touched.path.clone(),
                action: touched.action.as_str().to_owned(),
            })
            .collect(),
        error: envelope.error.as_ref().and_then(reason),
    }
}
