//! Views of plans and builds.

use hewto_core::plan::{PlanProgress, StepStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::{LackView, OpenPoint};

/// How far a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanProgressView {
    pub total_steps: usize,
    pub completed_steps: usize,
    /// Rounded down
    pub percentage: u8,
}

impl From<PlanProgress> for PlanProgressView {
    fn from(progress: PlanProgress) -> Self {
        let PlanProgress { total, completed, percentage } = progress;
        Self { total_steps: total, completed_steps: completed, percentage }
    }
}

/// How far a build is, as it was last reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildProgressView {
    pub percentage: u8,
    pub current_step: Option<String>,
    pub notes: Option<String>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanStepView {
    /// 0-based
    pub index: usize,
    /// As the task list of a change numbers it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub number: Option<String>,
    pub title: String,
    pub description: String,
    pub complexity: String,
    #[schemars(with = "String")]
    pub status: StepStatus,
    pub notes: Option<String>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanView {
    pub approach: String,
    pub steps: Vec<PlanStepView>,
}

/// A new plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanCreated {
    pub spec_id: String,
    pub plan_created: bool,
    pub total_steps: usize,
    /// Relative to the workspace root
    pub path: String,
}

/// An edited plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanUpdated {
    pub spec_id: String,
    pub updated: bool,
    pub total_steps: usize,
    /// Titles of the steps that kept their status and notes
    pub kept: Vec<String>,
    /// Titles of the steps that are no longer there, and lines that had to go with them
    pub dropped: Vec<String>,
    /// What became of the approval that the plan had
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub approval: Option<String>,
}

/// A step that was ticked, or opened again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepCompleted {
    pub spec_id: String,
    /// 0-based
    pub step_index: usize,
    /// Its number in the task list (1.2), else its place counted from 1
    pub step: String,
    pub step_title: String,
    pub completed: bool,
    /// Why it is open again
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub reason: Option<String>,
    pub plan_progress: PlanProgressView,
    /// `verified` by a run, or only `reported`; absent where nobody asks for proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub evidence: Option<String>,
    /// What the step says it proves and no run has shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub lacking: Vec<LackView>,
}

/// A build that began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildStarted {
    pub spec_id: String,
    pub build_started: bool,
    pub phase: String,
    pub plan_steps: usize,
    /// What is open, where no gate holds
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub open: Vec<OpenPoint>,
    /// How plans are approved here, as long as nobody has said how
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub notice: Option<String>,
}

/// A progress report that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildUpdated {
    pub spec_id: String,
    pub updated: bool,
    pub build_progress: BuildProgressView,
    pub updated_at: String,
}

/// A finished build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildCompleted {
    pub spec_id: String,
    pub build_completed: bool,
    pub lifecycle_state: String,
    pub completed_at: String,
    /// Steps of the plan that were neither completed nor skipped
    pub open_steps: usize,
    /// What is promised and no run has shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub lacking: Vec<LackView>,
    /// What is open, where no gate holds
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub open: Vec<OpenPoint>,
}
