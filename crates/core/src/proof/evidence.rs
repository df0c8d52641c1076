//! What a run has shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ref;

/// One test of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseResult {
    /// The file that the report names, as it names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What encloses the test, outermost first: class names, `describe` titles, modules, the package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
    /// The test's own name, parameters included.
    pub title: String,
    pub outcome: CaseOutcome,
    /// References that the report itself carries: a JUnit property `spec`, a tag in the title, a Gherkin tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Ref>,
    /// The first line of what the runner said about a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaseOutcome {
    Passed,
    Failed,
    /// Skipped, todo, expected to fail: it shows nothing.
    Skipped,
}

/// One run that hewto made, as far as the matrix needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunEvidence {
    pub run: String,
    pub check: String,
    /// When it ended, RFC 3339.
    pub at: String,
    /// Digest of the tree that was tested.
    pub tree: String,
    /// Whether that is the tree as it stands now.
    pub exact: bool,
    /// Whether its results count: its record authenticates, its tree did not change under it, tests ran.
    pub counts: bool,
    /// Whether the check's format can name tests at all; an exit code cannot.
    pub names_tests: bool,
    pub cases: Vec<CaseResult>,
    /// What text, code and tests of each promise were when the run was made.
    pub links: BTreeMap<Ref, LinkHashes>,
    pub coverage: Option<Coverage>,
}

/// What stood behind one promise at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LinkHashes {
    /// Of the scenario's text.
    pub text: String,
    /// Of what its requirement says above the scenarios; empty in records of earlier versions, which then say nothing of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub requirement: String,
    /// Of all linked code; empty without any.
    pub code: String,
    /// Of all linked tests; empty without any.
    pub test: String,
}

impl LinkHashes {
    /// Whether what was recorded is what is there now, as far as the record tells.
    pub fn stands(&self, now: &Self) -> bool {
        self.says_the_same(now) && self.code == now.code && self.test == now.test
    }

    /// Whether the promise reads as it did, as far as the record tells.
    pub fn says_the_same(&self, now: &Self) -> bool {
        let same_requirement = self.requirement.is_empty() || self.requirement == now.requirement;
        self.text == now.text && same_requirement
    }
}

/// Executed lines by file, as an LCOV or Cobertura report tells them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// By path, as the report names it.
    pub files: BTreeMap<String, LineHits>,
}

impl Coverage {
    /// The lines of a file of the project; a report may name it by its full path, or from another folder.
    pub fn lines_of(&self, path: &str) -> Option<&[(u32, u64)]> {
        let own = |name: &str| {
            let name = name.replace('\\', "/");
            let name = name.trim_start_matches("./");
            name == path
                || name.strip_suffix(path).is_some_and(|before| before.ends_with('/'))
                || path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
        };
        let exact = self.files.get(path);
        let found = exact.or_else(|| self.files.iter().find(|(name, _)| own(name)).map(|(_, lines)| lines));
        found.map(|lines| lines.0.as_slice())
    }
}

/// How often each line that could be executed was, sorted by line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineHits(pub Vec<(u32, u64)>);
