//! The record of a run: an in-toto statement about a test result, chained to the one before and sealed.
//!
//! What others read (`subject`, `result`, `passedTests`) follows the published predicate; what only hewto needs stands in
//! `predicate.hewto`. The seal is made over the text without it, so a record reads back byte for byte or not at all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{CaseOutcome, CaseResult, Coverage, LineHits, LinkHashes, Ref};

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It ended well, tests ran, none failed.
    Passed,
    Failed,
    /// The tree changed under it: what it says counts for nothing.
    Torn,
    /// It ran no test.
    NoTests,
}

impl Verdict {
    /// Whether what the tests said counts.
    pub fn counts(self) -> bool {
        matches!(self, Self::Passed | Self::Failed)
    }
}

/// One run, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    pub run: String,
    pub check: String,
    /// Digest of the check's declaration.
    pub check_digest: String,
    /// Digest of the tree that was tested.
    pub tree: String,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    pub argv: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// When it ended, RFC 3339.
    pub at: String,
    pub ms: u64,
    /// Who asked.
    pub by: String,
    /// The work tree it was made in.
    pub worktree: String,
    pub verdict: Verdict,
    pub names_tests: bool,
    /// Digests of the files that decide how tests are run and judged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub harness: BTreeMap<String, String>,
    /// Digest of the report.
    pub report: String,
    pub cases: Vec<CaseResult>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<Ref, LinkHashes>,
    /// What stood behind promises in records that are no longer kept, oldest first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub past: BTreeMap<Ref, Vec<LinkHashes>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<BTreeMap<String, Vec<(u32, u64)>>>,
    /// Digest of the record before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
}

/// Why a text is no record.
#[derive(Debug, Error)]
pub enum StatementError {
    #[error("it is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is not a statement about a test result")]
    Foreign,
    #[error("it has no seal")]
    Unsealed,
}

/// A record that was read, with what its seal has to fit.
#[derive(Debug)]
pub struct Sealed {
    pub record: RunRecord,
    pub text: String,
    pub seal: String,
}

impl RunRecord {
    /// How many passed, failed and were skipped.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |outcome| self.cases.iter().filter(|case| case.outcome == outcome).count();
        (count(CaseOutcome::Passed), count(CaseOutcome::Failed), count(CaseOutcome::Skipped))
    }

    pub fn coverage(&self) -> Option<Coverage> {
        let files = self.coverage.as_ref()?.iter();
        Some(Coverage { files: files.map(|(path, lines)| (path.clone(), LineHits(lines.clone()))).collect() })
    }

    /// The statement; `seal` is asked for the seal of its text.
    pub fn render(&self, seal: impl FnOnce(&str) -> String) -> Result<String, StatementError> {
        let mut statement = self.statement()?;
        let seal = seal(&serde_json::to_string(&statement)?);
        if let Some(own) = statement.pointer_mut("/predicate/hewto").and_then(Value::as_object_mut) {
            own.insert("mac".to_owned(), seal.into());
        }
        Ok(serde_json::to_string(&statement)?)
    }

    fn statement(&self) -> Result<Value, StatementError> {
        let names = |outcome| {
            let of = self.cases.iter().filter(move |case| case.outcome == outcome);
            of.map(test_name).collect::<Vec<_>>()
        };
        let mut subject = vec![json!({"name": "tree", "digest": {"sha256": self.tree}})];
        if let Some(head) = &self.head {
            subject.push(json!({"name": "HEAD", "digest": {"gitCommit": head}}));
        }
        let result = match self.verdict {
            Verdict::Passed => "PASSED",
            Verdict::Failed => "FAILED",
            Verdict::Torn | Verdict::NoTests => "WARNED",
        };
        Ok(json!({
            "_type": STATEMENT,
            "subject": subject,
            "predicateType": PREDICATE,
            "predicate": {
                "result": result,
                "configuration": [{"name": format!("check:{}", self.check), "digest": {"sha256": self.check_digest}}],
                "passedTests": names(CaseOutcome::Passed),
                "warnedTests": names(CaseOutcome::Skipped),
                "failedTests": names(CaseOutcome::Failed),
                "hewto": serde_json::to_value(self)?,
            },
        }))
    }

    /// Reads a statement. Whether its seal fits is for whoever has the key.
    pub fn read(text: &str) -> Result<Sealed, StatementError> {
        let mut statement: Value = serde_json::from_str(text)?;
        let kind = |pointer: &str| statement.pointer(pointer).and_then(Value::as_str);
        if kind("/_type") != Some(STATEMENT) || kind("/predicateType") != Some(PREDICATE) {
            return Err(StatementError::Foreign);
        }
        let own: Option<&mut Map<String, Value>> =
            statement.pointer_mut("/predicate/hewto").and_then(Value::as_object_mut);
        let Some(Value::String(seal)) = own.and_then(|own| own.shift_remove("mac")) else {
            return Err(StatementError::Unsealed);
        };
        let text = serde_json::to_string(&statement)?;
        let own = statement.pointer_mut("/predicate/hewto").map(Value::take).unwrap_or_default();
        let record: Self = serde_json::from_value(own)?;
        // What others read is made from what hewto reads: two stories in one record are none.
        if serde_json::to_string(&record.statement()?)? != text {
            return Err(StatementError::Foreign);
        }
        Ok(Sealed { record, text, seal })
    }
}

/// A test as people name it: what encloses it, then its title.
pub fn test_name(case: &CaseResult) -> String {
    let mut name = String::new();
    for part in case.suites.iter().chain([&case.title]) {
        if !name.is_empty() {
            name.push_str("::");
        }
        name.push_str(part);
    }
    name
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record() -> RunRecord {
        let case = |title: &str, outcome| CaseResult {
            file: None,
            suites: vec!["login".to_owned()],
            title: title.to_owned(),
            outcome,
            refs: vec![],
            message: None,
        };
        RunRecord {
            run: "01K".to_owned(),
            check: "unit".to_owned(),
            check_digest: "cd".to_owned(),
            tree: "9f2c".to_owned(),
            head: Some("271f".to_owned()),
            argv: vec!["cargo".to_owned(), "test".to_owned()],
            exit: Some(1),
            at: "2026-01-24T14:30:00Z".to_owned(),
            ms: 8123,
            by: "cli".to_owned(),
            worktree: "/w".to_owned(),
            verdict: Verdict::Failed,
            names_tests: true,
            harness: BTreeMap::new(),
            report: "ab".to_owned(),
            cases: vec![case("known", CaseOutcome::Passed), case("wrong", CaseOutcome::Failed)],
            links: BTreeMap::from([(Ref::parse("a#b/c").unwrap(), LinkHashes::default())]),
            past: BTreeMap::new(),
            coverage: Some(BTreeMap::from([("src/a.rs".to_owned(), vec![(1, 2)])])),
            prev: None,
        }
    }

    #[test]
    fn a_record_is_a_statement_that_reads_back() {
        let text = record().render(|text| format!("seal of {}", text.len())).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["predicate"]["passedTests"], json!(["login::known"]));
        assert_eq!(value["predicate"]["failedTests"], json!(["login::wrong"]));
        assert_eq!(value["subject"][1]["digest"]["gitCommit"], "271f");
        let sealed = RunRecord::read(&text).unwrap();
        assert_eq!(sealed.record, record());
        assert_eq!(sealed.seal, format!("seal of {}", sealed.text.len()));
        assert_eq!(sealed.record.counts(), (1, 1, 0));
    }

    #[test]
    fn what_was_written_by_hand_is_no_record() {
        let text = record().render(|_| "x".to_owned()).unwrap();
        for (from, to) in [
            ("\"mac\":\"x\"", "\"mac\":1"),
            ("Statement/v1", "Statement/v2"),
            ("\"result\":\"FAILED\"", "\"result\":\"PASSED\""),
            ("\"failedTests\":[\"login::wrong\"]", "\"failedTests\":[]"),
            ("\"verdict\":\"failed\"", "\"verdict\":\"passed\""),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(RunRecord::read(&text.replace(from, to)).is_err(), "{to}");
        }
        assert!(RunRecord::read("{}").is_err() && RunRecord::read("").is_err());
    }

    proptest! {
        #[test]
        fn a_changed_byte_changes_what_the_seal_has_to_fit(at in any::<prop::sample::Index>(), byte in 32..127_u8) {
            let text = record().render(|_| "x".to_owned()).unwrap();
            let mut bytes = text.clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let changed = String::from_utf8(bytes).unwrap();
            let before = RunRecord::read(&text).unwrap();
            if let Ok(after) = RunRecord::read(&changed) {
                prop_assert!(changed == text || after.text != before.text || after.seal != before.seal);
            }
        }
    }
}
