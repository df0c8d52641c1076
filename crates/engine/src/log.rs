//! What was done in a workspace, and by whom: the operation log for people.

use hewto_store::{Context, LogFilter, LogOrder, OperationEnvelope, OperationStatus, read_operations};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::operations::capability;
use crate::workspace::Workspace;

/// How many operations are shown unless asked otherwise.
const DEFAULT_LIMIT: usize = 50;

/// Which operations are wanted; every condition has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogRequest {
    pub session: Option<String>,
    pub tool: Option<String>,
    pub status: Option<String>,
    /// RFC 3339.
    pub since: Option<String>,
    pub limit: Option<usize>,
}

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

/// The newest operations that match.
pub fn read(ws: &Workspace, ctx: &Context, request: &LogRequest) -> Result<LogView> {
    let filter = LogFilter {
        since: request.since.as_deref().map(|text| parse_time("since", text)).transpose()?,
        until: None,
        session_id: request.session.clone(),
        capability_id: request.tool.as_deref().map(capability),
        status: request.status.as_deref().map(parse_status).transpose()?,
    };
    let mut operations = Vec::new();
    for envelope in read_operations(ws.layout(), filter, LogOrder::NewestFirst)? {
        ctx.check()?;
        if operations.len() == request.limit.unwrap_or(DEFAULT_LIMIT) {
            break;
        }
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

pub(crate) fn parse_time(field: &str, text: &str) -> Result<Timestamp> {
    let day = || format!("{text}T00:00:00Z").parse();
    text.parse().or_else(|_| day()).map_err(|_| {
        Error::invalid_argument(
            field,
            "a time such as 2026-01-24T10:00:00Z, or a day",
            format!("`{text}` is no time"),
        )
    })
}

pub(crate) fn parse_status(text: &str) -> Result<OperationStatus> {
    text.parse().map_err(|_| {
        let known = OperationStatus::ALL.map(OperationStatus::as_str).join(", ");
        Error::invalid_argument("status", &format!("one of {known}"), format!("`{text}` is no status"))
    })
}
