//! The operation log: one envelope per call, saying who did what to which artifact and how it ended.

use std::str::FromStr;

use hewto_core::lifecycle::UnknownName;
use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sanitise::sanitise;
use crate::commit::Action;
use crate::context::{Channel, Context};

/// One call, from its start to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationEnvelope {
    pub operation_id: String,
    pub session_id: String,
    #[serde(default)]
    pub principal: Option<String>,
    /// The way by which the call came in; lines of before do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    #[serde(default)]
    pub protocol_version: Option<String>,
    /// The caller's place in a distributed trace (W3C).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    pub capability_id: String,
    pub started_at: Timestamp,
    // `ended_at` is what it was called before.
    #[serde(default, alias = "ended_at")]
    pub finished_at: Option<Timestamp>,
    #[serde(default)]
    pub duration_ms: Option<u64>,
    #[serde(default)]
    pub inputs: Value,
    #[serde(default)]
    pub artifacts: Vec<TouchedArtifact>,
    #[serde(default)]
    pub lock_intent: LockIntent,
    #[serde(default)]
    pub transcript: Vec<Value>,
    pub status: OperationStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

/// What happened to an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedArtifact {
    /// The artifact's handle, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// Relative to the workspace root, with `/`.
    pub path: String,
    pub action: Action,
}

/// What an operation wanted to do with what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LockIntent {
    #[default]
    None,
    Read,
    Write,
    WorkspaceWide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    InProgress,
    Succeeded,
    Failed,
    TimedOut,
    Cancelled,
}

impl OperationEnvelope {
    /// An operation that begins now.
    pub fn start(context: &Context, capability_id: &str, inputs: Value, lock_intent: LockIntent) -> Self {
        let caller = context.caller().clone();
        Self {
            operation_id: caller.operation_id,
            session_id: caller.session_id,
            principal: caller.principal,
            channel: Some(caller.channel),
            protocol_version: caller.protocol_version,
            traceparent: caller.traceparent,
            capability_id: capability_id.to_owned(),
            started_at: to_millis(context.now()),
            finished_at: None,
            duration_ms: None,
            inputs,
            artifacts: Vec::new(),
            lock_intent,
            transcript: Vec::new(),
            status: OperationStatus::InProgress,
            error: None,
        }
    }

    /// Ends the operation.
    pub fn finish(&mut self, at: Timestamp, status: OperationStatus, error: Option<Value>) {
        let ended = to_millis(at);
        let duration = ended.duration_since(self.started_at).as_millis();
        self.finished_at = Some(ended);
        self.duration_ms = Some(u64::try_from(duration).unwrap_or(0));
        self.status = status;
        self.error = error;
    }

    /// The line for the log.
    pub(super) fn into_line(mut self) -> Vec<u8> {
        self.inputs = sanitise(self.inputs);
        self.transcript = self.transcript.into_iter().map(sanitise).collect();
        self.error = self.error.map(sanitise);
        let mut line = serde_json::to_vec(&self).expect("an envelope is plain data");
        line.push(b'\n');
        line
    }
}

impl LockIntent {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::WorkspaceWide => "workspace_wide",
        }
    }
}

impl OperationStatus {
    pub const ALL: [Self; 5] =
        [Self::InProgress, Self::Succeeded, Self::Failed, Self::TimedOut, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

impl FromStr for OperationStatus {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

fn to_millis(at: Timestamp) -> Timestamp {
    at.round(Unit::Millisecond).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::context::Clock;

    #[test]
    fn an_envelope_survives_its_line_without_its_secrets() {
        let start: Timestamp = "2026-01-24T14:30:00.123456Z".parse().unwrap();
        let context = Context::background().with_clock(Clock::fixed(start));
        let inputs = json!({ "title": "A", "token": "abc" });
        let mut envelope = OperationEnvelope::start(&context, "spec_create", inputs, LockIntent::Write);
        envelope.finish("2026-01-24T14:30:01.500Z".parse().unwrap(), OperationStatus::Succeeded, None);
        let line = envelope.clone().into_line();
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        let read: OperationEnvelope = serde_json::from_slice(&line).unwrap();
        assert_eq!(read.duration_ms, Some(1377));
        assert_eq!(read.inputs["title"], "A");
        assert_ne!(read.inputs["token"], "abc");
        assert_eq!(OperationEnvelope { inputs: envelope.inputs.clone(), ..read }, envelope);
    }

    #[test]
    fn a_status_has_the_name_that_the_log_shows() {
        for status in OperationStatus::ALL {
            assert_eq!(json!(status), status.as_str());
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }
}
