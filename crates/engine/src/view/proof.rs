//! Promises, links and how they stand.

use std::collections::BTreeMap;

use hewto_core::proof::Link;
pub use hewto_core::proof::{CaseOutcome, LinkKind, Ref, State};
use schemars::JsonSchema;
use serde::Serialize;

use super::Page;
use super::proof_run::is_zero;

/// The table of promises.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct MatrixView {
    /// Of this shape.
    pub version: u32,
    /// What was asked for: everything, a capability, a change, a reference.
    pub selection: String,
    /// Whether nothing is red, shown or not.
    pub green: bool,
    /// How many promises are red that are not shown, since another state was asked for
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub red_left_out: usize,
    pub policy: String,
    pub summary: MatrixSummary,
    pub rows: Vec<PromiseView>,
    /// What is wrong with links, records and the baseline.
    pub problems: Vec<LinkProblemView>,
    /// Names in the baseline that are debt no more.
    pub paid: Vec<String>,
    /// Tests that failed on exactly this tree and are nobody's known debt
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub failures: Vec<String>,
    /// The runs that results are from.
    pub runs: Vec<MatrixRunView>,
    /// Tests of those runs that no tag links to a promise.
    pub untagged_tests: usize,
    #[serde(flatten)]
    pub page: Option<Page>,
}

#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct MatrixSummary {
    pub total: usize,
    pub verified: usize,
    /// Not kept, and known for it.
    pub debt: usize,
    pub red: usize,
    /// How many promises are in each state, known debt left out.
    pub states: BTreeMap<State, usize>,
    /// All of this in a line.
    pub line: String,
}

/// One promise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PromiseView {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub requirement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Where it stands.
    pub file: String,
    pub line: u32,
    pub state: State,
    /// Why, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    pub red: bool,
    /// `baseline`, or `waived until …`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debt: Option<String>,
    pub code: Vec<PlaceView>,
    pub tests: Vec<PlaceView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<CaseOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Whether text, code and tests are what they were in that run.
    pub fresh: bool,
    /// Whether the whole tree is.
    pub exact: bool,
    /// The line to paste above the test or the code.
    pub tag: String,
    /// Tests of the last runs without a tag, whose names have its words; where it has no test
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub similar: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Where something is linked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceView {
    pub path: String,
    pub line: u32,
    pub end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MatrixRunView {
    pub run: String,
    pub check: String,
    pub at: String,
    pub exact: bool,
}

/// Something that is wrong with a link, a record or the baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkProblemView {
    /// The key to act on.
    pub error: String,
    pub severity: ProblemSeverity,
    pub path: String,
    pub line: u32,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<Ref>,
    pub message: String,
    pub hint: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Today's name of what was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Ref>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProblemSeverity {
    #[default]
    Error,
    Warning,
    Info,
}

/// The links of a workspace.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinksView {
    pub links: Vec<LinkView>,
    pub problems: Vec<LinkProblemView>,
    /// How many files were looked at.
    pub files: usize,
    #[serde(flatten)]
    pub page: Option<Page>,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkView {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub kind: LinkKind,
    #[serde(flatten)]
    pub place: PlaceView,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Old names that were, or would be, rewritten.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkFixView {
    pub dry_run: bool,
    pub fixed: Vec<LinkFix>,
    /// What has to be corrected by hand.
    pub left: Vec<LinkProblemView>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkFix {
    pub path: String,
    pub line: u32,
    pub from: Ref,
    pub to: Ref,
}

/// What has moved since it was last recorded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DriftView {
    pub green: bool,
    pub drifted: Vec<DriftRow>,
    /// How many promises were looked at.
    pub total: usize,
    pub line: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DriftRow {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub state: State,
    pub red: bool,
    /// What changed: the promise, code, a test.
    pub what: String,
    /// Since which record: a run or an acceptance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The newest commit that touched what moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub file: String,
    pub line: u32,
    pub places: Vec<PlaceView>,
}

/// What a baseline is, and how it changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BaselineView {
    pub file: String,
    pub uncovered: usize,
    pub failing: usize,
    pub added: Vec<String>,
    pub dropped: Vec<String>,
    pub written: bool,
}

/// A record that a person made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PersonRecordView {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub file: String,
    pub by: String,
    pub channel: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl From<&Link> for PlaceView {
    fn from(link: &Link) -> Self {
        let anchor = link.anchor.as_ref();
        Self {
            path: link.path.clone(),
            line: anchor.map_or(link.line, |anchor| anchor.start),
            end: anchor.map_or(link.line, |anchor| anchor.end),
            name: link.title.clone().or_else(|| anchor.and_then(|anchor| anchor.name.clone())),
        }
    }
}
