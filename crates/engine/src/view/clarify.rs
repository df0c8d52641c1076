//! Views of the command line's clarification. The names are those of the original command.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Asked, ClarificationProgress, KnownFact};

/// What a command comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ClarifyTurn {
    Asks(ClarifyAsks),
    Completed(ClarifyCompleted),
}

/// An interview with questions to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyAsks {
    /// `started`, `needs_more_answers` (asked before and still open) or `needs_clarification` (new questions)
    pub status: String,
    pub session_id: String,
    pub expires_at: String,
    pub questions: Vec<ClarifyQuestion>,
    pub progress: ClarificationProgress,
    /// What the intention already answers
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub detected_from_intent: Vec<Detected>,
    /// What the repository and earlier decisions say
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub known: Vec<KnownFact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub message: Option<String>,
}

/// Something the intention said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Detected {
    pub label: String,
    pub value: String,
}

/// A question, with those that depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyQuestion {
    #[serde(flatten)]
    pub asked: Asked,
    pub optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub depends_on_question_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub depends_on_value: Option<String>,
}

/// A finished interview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyCompleted {
    /// `completed`
    pub status: String,
    pub artifacts: ClarifyFiles,
    /// The prompt for a coding agent
    pub agent_prompt: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub message: Option<String>,
}

/// Paths relative to the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyFiles {
    pub task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub adr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub architecture_state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub agent_prompt: Option<String>,
}

/// Where the interview stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyState {
    /// `active`
    pub status: String,
    pub intention: String,
    pub expires_at: String,
    pub questions: Vec<ClarifyAnswer>,
}

/// A text, or a list where several can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnswerValue {
    One(String),
    Many(Vec<String>),
}

/// A question that was asked, with its answer or still open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarifyAnswer {
    pub id: String,
    pub answered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub value: Option<AnswerValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub question: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub options: Vec<String>,
}
