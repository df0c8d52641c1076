//! Where a work item stands: the contents of `state.toon`.
//!
//! It is written as TOON and read from TOON, from JSON, and from the braced form that seed 000 shows (D-11). Keys
//! that are not known here are kept and written back. A state that cannot be read whole is not read at all: guessing
//! a lifecycle would let work begin or end by accident.

mod braced;
mod read;

use serde_json::{Map, Value, json};

use crate::diagnostic::Diagnostic;
use crate::lifecycle::{Lifecycle, Phase};

/// The standing of one work item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowState {
    /// The item: a spec id, or what stands for a change.
    pub spec_id: String,
    pub lifecycle: Lifecycle,
    pub phase: Phase,
    pub build_progress: BuildProgress,
    /// Why the item was moved to its lifecycle.
    pub reason: Option<String>,
    /// What was built, when it is done.
    pub summary: Option<String>,
    /// How the build differs from the plan.
    pub deviations: Option<String>,
    pub started_at: Option<String>,
    pub completed_at: Option<String>,
    pub updated_at: String,
    /// Keys that are not known here, in their order.
    pub extra: Map<String, Value>,
}

/// How far a build has come, as reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildProgress {
    /// 0 to 100.
    pub percentage: u8,
    pub current_step: Option<String>,
    pub notes: Option<String>,
    /// Keys that are not known here, in their order.
    pub extra: Map<String, Value>,
}

impl WorkflowState {
    /// The state of a new item.
    pub fn draft(spec_id: &str, updated_at: &str) -> Self {
        Self {
            spec_id: spec_id.to_owned(),
            lifecycle: Lifecycle::Draft,
            phase: Phase::Spec,
            build_progress: BuildProgress::default(),
            reason: None,
            summary: None,
            deviations: None,
            started_at: None,
            completed_at: None,
            updated_at: updated_at.to_owned(),
            extra: Map::new(),
        }
    }

    /// Reads a state, or says where and why it cannot be read.
    pub fn read(text: &str) -> Result<Self, Diagnostic> {
        read::read(text)
    }

    /// The state as TOON.
    pub fn render(&self) -> String {
        let mut progress = Map::new();
        progress.insert("percentage".to_owned(), json!(self.build_progress.percentage));
        progress.insert("current_step".to_owned(), json!(self.build_progress.current_step));
        progress.insert("notes".to_owned(), json!(self.build_progress.notes));
        progress.extend(self.build_progress.extra.clone());

        let mut state = Map::new();
        state.insert("spec_id".to_owned(), json!(self.spec_id));
        state.insert("lifecycle".to_owned(), json!(self.lifecycle));
        state.insert("phase".to_owned(), json!(self.phase));
        state.insert("build_progress".to_owned(), Value::Object(progress));
        for (key, value) in [
            ("reason", &self.reason),
            ("summary", &self.summary),
            ("deviations", &self.deviations),
            ("started_at", &self.started_at),
            ("completed_at", &self.completed_at),
        ] {
            if let Some(value) = value {
                state.insert(key.to_owned(), json!(value));
            }
        }
        state.insert("updated_at".to_owned(), json!(self.updated_at));
        state.extend(self.extra.clone());
        let mut text = toon_format::encode_default(&Value::Object(state))
            .expect("only nesting beyond what reading allows cannot be encoded");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests;
