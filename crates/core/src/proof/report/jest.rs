//! The JSON of jest, which vitest writes too.

use serde::Deserialize;

use super::text::message;
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
}

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    let start = object_start(text);
    if text[start..].trim().is_empty() {
        return Ok(());
    }
    let run = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Run>().next();
    let before = text[..start].matches('\n').count();
    let run = match run {
        Some(Ok(run)) => run,
        Some(Err(error)) => {
            let problem = format!("it is not a report of jest or vitest: {error}");
            return Err(ReportError::malformed(before + error.line().max(1), problem));
        }
        None => return Ok(()),
    };
    for file in run.test_results {
        if file.assertion_results.is_empty() && file.status == "failed" {
            // The file could not be loaded: none of its tests ran.
            let title = file.name.clone().unwrap_or_default();
            let message = file.message.as_deref().and_then(message);
            cases.push(CaseResult {
                file: file.name,
                message,
                ..case(Vec::new(), title, CaseOutcome::Failed)
            })?;
            continue;
        }
        for test in file.assertion_results {
            let outcome = match test.status.as_str() {
                "passed" => CaseOutcome::Passed,
                "failed" => CaseOutcome::Failed,
                _ => CaseOutcome::Skipped,
            };
            let suites = test.ancestor_titles.into_iter().filter(|title| !title.is_empty()).collect();
            let message = test.failure_messages.iter().flatten().find_map(|said| message(said));
            cases.push(CaseResult {
                file: file.name.clone(),
                message,
                ..case(suites, test.title, outcome)
            })?;
        }
    }
    Ok(())
}

/// Where the report begins: on standard output other programs may have spoken before it.
fn object_start(text: &str) -> usize {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('{') {
            return offset;
        }
        offset += line.len();
    }
    // Nothing that could be one: the whole text is what is wrong.
    0
}
