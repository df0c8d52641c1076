//! All specs of a workspace at one moment, as summaries. Bodies stay on disk.

use std::sync::{Arc, OnceLock};

use hewto_core::diagnostic::{Diagnostic, Finding};
use hewto_core::id::SpecId;
use hewto_core::plan::PlanProgress;
use hewto_core::spec::SpecHead;
use hewto_core::state::WorkflowState;

use crate::layout::{DocFolder, PLAN_FILE, SPEC_FILE, STATE_FILE};
use crate::stamp::Stamp;

/// Every spec, sorted by id.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Grows whenever anything changed; within one process only.
    pub generation: u64,
    pub specs: Vec<Arc<SpecEntry>>,
    /// What is wrong with roots and folders rather than with one spec.
    pub findings: Vec<Finding>,
}

/// What is known of a spec without its body.
#[derive(Debug, Clone)]
pub struct SpecEntry {
    pub id: SpecId,
    /// Index of its root in the layout.
    pub root: usize,
    pub folder: DocFolder,
    pub stamps: Stamps,
    pub head: Arc<SpecHead>,
    pub state: StateRead,
    /// About the folder and the files as such; the head and the state have their own.
    pub diagnostics: Vec<Diagnostic>,
    /// How far its plan has come, once somebody has read the plan. Another file makes another entry.
    pub plan_progress: OnceLock<PlanProgress>,
    /// The wall clock when the files were looked at, in nanoseconds.
    pub(crate) read_at_ns: i64,
}

/// The stamps of the files of a spec; `None` where there is no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamps {
    pub spec: Stamp,
    pub plan: Option<Stamp>,
    pub state: Option<Stamp>,
}

/// What stands in the place of `state.toon`.
#[derive(Debug, Clone, PartialEq)]
pub enum StateRead {
    Absent,
    Valid(Arc<WorkflowState>),
    Broken(Diagnostic),
}

impl Snapshot {
    pub fn get(&self, id: &SpecId) -> Option<&Arc<SpecEntry>> {
        self.specs.binary_search_by(|entry| entry.id.cmp(id)).ok().map(|index| &self.specs[index])
    }
}

impl SpecEntry {
    pub fn has_plan(&self) -> bool {
        self.stamps.plan.is_some()
    }

    /// The title, or the id of a spec that has none.
    pub fn title(&self) -> &str {
        self.head.title.as_deref().unwrap_or(self.id.as_str())
    }

    /// Where its text stands, relative to the workspace.
    pub fn spec_path(&self) -> String {
        format!("{}/{SPEC_FILE}", self.folder)
    }

    /// Where its plan stands or would stand, relative to the workspace.
    pub fn plan_path(&self) -> String {
        format!("{}/{PLAN_FILE}", self.folder)
    }

    /// Where its state stands, relative to the workspace.
    pub fn state_path(&self) -> String {
        format!("{}/{STATE_FILE}", self.folder)
    }

    /// Everything that is wrong with the spec, as far as its summary shows.
    pub fn findings(&self) -> Vec<Finding> {
        let spec_file = self.spec_path();
        let of_spec = self.diagnostics.iter().chain(&self.head.diagnostics);
        let mut findings: Vec<Finding> = of_spec.map(|remark| remark.in_file(spec_file.as_str())).collect();
        if let StateRead::Broken(remark) = &self.state {
            findings.push(remark.in_file(self.state_path()));
        }
        findings
    }
}
