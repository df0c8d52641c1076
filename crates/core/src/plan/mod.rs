//! The plan of a spec: an approach and steps, kept in `plan.md` for people to read and edit.
//!
//! A plan is written as seed 000 shows it and read with a generous eye; what a person added beside it is never
//! touched. Titles, descriptions, notes and the approach come back exactly as they were given, but for what
//! [`normalised`] and [`normalised_title`] say. Text that Markdown would take for structure of the plan is written
//! as a block quote; a description, note or approach that is one block quote reads as the text in it.

mod beside;
mod edit;
mod field;
mod places;
mod proves;
mod render;
mod steps;
mod text;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub(crate) use beside::PlanSpans;
pub use edit::{PlanEditError, complete_step, reopen_step, set_approach, touch};
pub use places::bare_title;
pub use proves::{ProvesStyle, proves, with_proves};
pub use steps::replace_steps;
pub use text::{kept_description, normalised, normalised_title};

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::lifecycle::UnknownName;

/// How one spec is to be built.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub spec_id: String,
    /// The `## Approach` section, else the front matter's copy of it.
    pub approach: String,
    pub steps: Vec<PlanStep>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

/// One step of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanStep {
    /// Its place among the steps, from 0, whatever number its heading has.
    pub index: usize,
    pub title: String,
    pub description: String,
    pub complexity: Complexity,
    pub status: StepStatus,
    pub notes: Option<String>,
}

/// How hard a step is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    Trivial,
    #[default]
    Simple,
    Moderate,
    Complex,
}

/// How far a step has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Skipped,
}

/// How far a plan has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanProgress {
    pub total: usize,
    pub completed: usize,
    /// Completed steps of all steps, rounded down; 0 for a plan without steps.
    pub percentage: u8,
}

impl Plan {
    /// Reads a plan, with what is odd about it.
    pub fn read(text: &str) -> (Self, Vec<Diagnostic>) {
        places::read(text)
    }

    /// The line of each step's heading, counted from 1.
    pub fn step_lines(text: &str) -> Vec<usize> {
        let document = Document::parse(text);
        let places = places::Places::of(&document);
        places.steps.iter().map(|step| document.line_of(step.span.start)).collect()
    }

    /// What stands behind the bullets of each step: people's remarks, which are read as part of its description.
    pub fn remarks(text: &str) -> Vec<String> {
        let document = Document::parse(text);
        places::Places::of(&document).steps.iter().map(|step| step.remarks(&document)).collect()
    }

    /// The text of a new `plan.md`.
    pub fn render(&self) -> String {
        render::render(self)
    }

    pub fn progress(&self) -> PlanProgress {
        let total = self.steps.len();
        let completed = self.steps.iter().filter(|step| step.status == StepStatus::Completed).count();
        let percentage = (completed * 100).checked_div(total).unwrap_or(0);
        let percentage = u8::try_from(percentage).expect("a part of the steps is at most all of them");
        PlanProgress { total, completed, percentage }
    }

    /// The first step that is neither completed nor skipped.
    pub fn current_step(&self) -> Option<&PlanStep> {
        self.steps.iter().find(|step| !matches!(step.status, StepStatus::Completed | StepStatus::Skipped))
    }
}

impl Complexity {
    pub const ALL: [Self; 4] = [Self::Trivial, Self::Simple, Self::Moderate, Self::Complex];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::Simple => "simple",
            Self::Moderate => "moderate",
            Self::Complex => "complex",
        }
    }
}

impl StepStatus {
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Completed, Self::Skipped];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Skipped => "skipped",
        }
    }
}

impl fmt::Display for Complexity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for StepStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Complexity {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|complexity| complexity.as_str() == text).ok_or(UnknownName)
    }
}

impl FromStr for StepStatus {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests;
