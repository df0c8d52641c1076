//! Views of clarifications, decisions and the architecture. The names are seed 003's.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::StepView;

/// What `require_clarification` answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarificationView {
    pub status: ClarificationStatus,
    /// Pass it back together with `answers`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub session_id: Option<String>,
    /// To be answered next, by id
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub questions: Option<Vec<QuestionView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub progress: Option<ClarificationProgress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub artifacts_created: Option<Vec<ArtifactCreated>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub summary: Option<String>,
    /// `llm_fallback` when a model was to ask and could not
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub message: Option<String>,
    /// What the repository and earlier decisions say, and nobody is asked
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub known: Option<Vec<KnownFact>>,
    /// What to ask with `questions` when the catalogue has nothing to ask
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub might_ask: Option<Vec<String>>,
    /// From the answers on acceptance, for the change that follows
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub scenarios: Option<Vec<ScenarioDraft>>,
}

/// Something that is known without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnownFact {
    pub about: String,
    pub value: String,
    pub seen_in: String,
}

/// A scenario that an answer on acceptance comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioDraft {
    pub name: String,
    pub steps: Vec<StepView>,
}

impl From<hewto_core::decision::scenario::Draft> for ScenarioDraft {
    fn from(draft: hewto_core::decision::scenario::Draft) -> Self {
        let step = |(keyword, text): (&str, String)| StepView { keyword: keyword.to_owned(), text };
        Self { name: draft.name, steps: draft.steps.into_iter().map(step).collect() }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClarificationStatus {
    #[default]
    NeedsClarification,
    Completed,
}

/// A question, as a client shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuestionView {
    #[serde(flatten)]
    pub asked: Asked,
    /// May be left unanswered
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub optional: bool,
    /// Why it matters, as whoever brought the question says
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub why: Option<String>,
}

/// What is asked, and what may be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Asked {
    pub id: String,
    /// `single_choice`, `multi_choice` or `free_text`
    #[serde(rename = "type")]
    pub kind: String,
    pub question: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub options: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub min_selections: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub max_selections: Option<usize>,
}

/// Counted over all turns of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClarificationProgress {
    pub asked_so_far: usize,
    pub answered: usize,
}

/// A file that a clarification wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactCreated {
    /// Relative to the repository
    pub path: String,
    /// `adr`, `task` or `projection`
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub uid: Option<String>,
}

/// What `read_architecture` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchitectureView {
    /// `success`
    pub status: String,
    pub architecture: ArchitectureBody,
    /// Where the projection of it stands, whether or not the file is there
    pub source_file: String,
    /// `branches_merged` when several branches decided and no record joins them yet
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub details: Option<ArchitectureDetails>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchitectureBody {
    /// The latest decision; null when there is none
    pub uid: Option<String>,
    /// Category, field, value
    pub categories: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArchitectureDetails {
    /// What the latest decision does not know: a category, or `Category.Field`
    pub missing_keys: Vec<String>,
}

/// One line of the list of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionCard {
    pub uid: String,
    pub title: String,
    pub category: String,
    pub date: String,
    /// Relative to the repository
    pub path: String,
}

/// A page of decisions, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionList {
    pub decisions: Vec<DecisionCard>,
    #[serde(flatten)]
    pub page: super::Page,
}

/// One decision, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionView {
    #[serde(flatten)]
    pub card: DecisionCard,
    pub previous: Option<String>,
    /// Heads of other branches that this decision joins
    pub merged: Vec<String>,
    /// Decisions whose fields this one decided anew, or whose place it takes
    pub supersedes: Vec<String>,
    pub changes: Vec<String>,
    /// Name and value, in the order of the record
    pub decision: Vec<(String, String)>,
    /// The Markdown of the record
    pub text: String,
}

/// A new decision record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionCreated {
    /// `success`
    pub status: String,
    pub uid: String,
    /// Relative to the repository
    pub path: String,
    pub title: String,
    pub category: String,
    /// What is different now, one line each
    pub changes: Vec<String>,
    /// The record written before this one; says nothing about what still holds
    pub previous: Option<String>,
    /// Decisions whose fields this one decided anew, or whose place it takes
    pub supersedes: Vec<String>,
}
