//! What runs of checks answer with.

use hewto_core::failure::Key;
use hewto_core::proof::{Ref, State};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Some checks, run or still running.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProofRunView {
    /// Call again with this while it is `running`.
    pub run: String,
    /// `running`, `passed`, `failed`, `error` or `cancelled`.
    #[schemars(with = "String")]
    pub status: RunStatus,
    pub checks: Vec<CheckRunView>,
    /// How the promises stand that were asked for, once it has ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub promises: Vec<PromiseStateView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgressView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How some checks stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    Running,
    Passed,
    Failed,
    /// One of them could not be run, or proves nothing.
    Error,
    Cancelled,
}

/// How one check ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckStatus {
    Passed,
    #[default]
    Failed,
    /// Its results count for nothing.
    Void(Key),
}

impl RunStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl CheckStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Void(why) => why.as_str(),
        }
    }
}

impl Serialize for RunStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for CheckStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How one promise stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromiseStateView {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub state: State,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub reason: String,
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunProgressView {
    pub done: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    pub message: String,
}

/// One check that has ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct CheckRunView {
    pub check: String,
    /// The id of its record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// `passed`, `failed`, or the key of what kept it from counting.
    #[schemars(with = "String")]
    pub status: CheckStatus,
    /// Whether its results count.
    pub counts: bool,
    /// Somebody else's run of the same tree, which was waited for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// An earlier run of the same tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    pub ms: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tree: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<FailingTestView>,
    #[serde(skip_serializing_if = "is_zero")]
    pub failing_left_out: usize,
    /// Files that changed while it ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub torn: Vec<String>,
    /// Files that decide how tests are judged and are not what they were in the run before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harness_changed: Vec<String>,
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub problem: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage_problem: Option<String>,
}

/// A promise that is not proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LackView {
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    pub state: String,
    pub reason: String,
    /// The line to paste above the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Tests without a tag that may be meant, by their names
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub similar: Vec<String>,
}

impl LackView {
    /// In a few words.
    pub fn told(&self) -> String {
        match &self.reference {
            Some(reference) => format!("`{reference}` is {} ({})", self.state.replace('_', " "), self.reason),
            None => self.reason.clone(),
        }
    }

    pub(crate) fn needs_a_test(&self) -> bool {
        matches!(self.state.as_str(), "uncovered" | "unlinked" | "unreviewed")
    }
}

/// What `proof init` declared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProofInitView {
    pub file: String,
    pub policy: String,
    pub checks: Vec<ProofPresetView>,
    /// What `hewto trust` or `--trust` has to allow before anything is run.
    pub digest: String,
}

/// One check of the settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProofPresetView {
    pub check: String,
    /// The file that gave the kind of project away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Whether it is new.
    pub added: bool,
    pub run: Vec<String>,
    /// What it said when it was tried; this is no evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<CheckRunView>,
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailingTestView {
    pub test: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}
