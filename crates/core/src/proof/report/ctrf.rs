//! The Common Test Report Format.

use serde::Deserialize;

use super::text::{message, refs_in};
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

#[derive(Deserialize)]
struct Report {
    results: Results,
}

#[derive(Deserialize)]
struct Results {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    name: String,
    status: String,
    #[serde(default)]
    suite: Option<Suite>,
    #[serde(default)]
    file_path: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    flaky: bool,
    #[serde(default)]
    tags: Option<Vec<String>>,
}

/// Older reports join the titles, newer ones list them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Suite {
    Joined(String),
    Listed(Vec<String>),
}

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    let report: Report = serde_json::from_str(text).map_err(|error| {
        ReportError::malformed(error.line().max(1), format!("it is not a report in CTRF: {error}"))
    })?;
    for test in report.results.tests {
        let (outcome, said) = match test.status.as_str() {
            // It failed before it passed, in one run.
            "passed" if test.flaky => (CaseOutcome::Failed, Some("it passed only when it was tried again")),
            "passed" => (CaseOutcome::Passed, None),
            "failed" => (CaseOutcome::Failed, None),
            _ => (CaseOutcome::Skipped, None),
        };
        let mut suites = match test.suite {
            Some(Suite::Listed(titles)) => titles,
            Some(Suite::Joined(titles)) => titles.split(" > ").map(|title| title.trim().to_owned()).collect(),
            None => Vec::new(),
        };
        let title = by_path(&test.name, test.file_path.as_deref(), &mut suites);
        let message = test.message.as_deref().and_then(message).or_else(|| said.map(str::to_owned));
        let mut case = CaseResult { file: test.file_path, message, ..case(suites, title, outcome) };
        for tag in test.tags.iter().flatten() {
            refs_in(tag, &mut case.refs);
        }
        cases.push(case)?;
    }
    Ok(())
}

/// The title of a test that is called by its file and its classes, as pytest does: `tests/test_a.py::TestA::test_one[1::2]`.
fn by_path(name: &str, file: Option<&str>, suites: &mut Vec<String>) -> String {
    let Some(inside) = file.and_then(|file| name.strip_prefix(file)?.strip_prefix("::")) else {
        return name.to_owned();
    };
    let end = inside.find('[').unwrap_or(inside.len());
    let Some(at) = inside[..end].rfind("::") else { return inside.to_owned() };
    for class in inside[..at].split("::") {
        if !suites.iter().any(|suite| suite == class) {
            suites.push(class.to_owned());
        }
    }
    inside[at + 2..].to_owned()
}
