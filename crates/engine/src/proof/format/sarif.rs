//! SARIF 2.1.0: a rule for each key, the heading as location, code and tests beside it, known debt suppressed.

use std::collections::BTreeMap;
use std::fmt::Write;

use hewto_core::proof::State;
use serde_json::{Value, json};

use super::{rule, sentence};
use crate::view::{LinkProblemView, MatrixView, PlaceView, ProblemSeverity, PromiseView};

/// GitHub takes no more results of one run.
const MOST_RESULTS: usize = 5_000;

/// The table as results of an analysis, the worst first.
pub fn sarif(view: &MatrixView) -> String {
    let mut results: Vec<(u8, Value)> = Vec::new();
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    for problem in &view.problems {
        rules.entry(problem.error.clone()).or_insert_with(|| problem.hint.clone());
        let weight = if problem.severity == ProblemSeverity::Error { 0 } else { 2 };
        results.push((weight, of_problem(problem)));
    }
    for row in view.rows.iter().filter(|row| !row.state.is_proven()) {
        rules.entry(rule(row)).or_insert_with(|| describe(row));
        results.push((if row.red { 1 } else { 3 }, of_promise(row)));
    }
    results.sort_by_key(|(weight, _)| *weight);
    let left_out = results.len().saturating_sub(MOST_RESULTS);
    let results: Vec<Value> = results.into_iter().take(MOST_RESULTS).map(|(_, result)| result).collect();
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}, "helpUri": "https://github.com/hewto/hewto/blob/main/docs/proof.md"}))
        .collect();
    let mut run = json!({
        "tool": {"driver": {
            "name": "hewto",
            "informationUri": "https://github.com/hewto/hewto",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if left_out > 0 {
        run["properties"] = json!({"leftOut": left_out});
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn of_promise(row: &PromiseView) -> Value {
    let rule = rule(row);
    let mut result = json!({
        "ruleId": rule,
        "level": if row.red { "error" } else { "note" },
        "message": {"text": sentence(row)},
        "locations": [location(&row.file, row.line, None)],
        "partialFingerprints": {"hewtoPromise/v1": format!("{rule}:{}", row.reference)},
    });
    let mut related: Vec<Value> = row.code.iter().chain(&row.tests).map(related).collect();
    related.dedup();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if let Some(debt) = &row.debt {
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": debt}]);
    }
    result
}

fn of_problem(problem: &LinkProblemView) -> Value {
    let level = match problem.severity {
        ProblemSeverity::Error => "error",
        ProblemSeverity::Warning => "warning",
        ProblemSeverity::Info => "note",
    };
    let name = problem.reference.as_ref().map_or_else(|| problem.message.clone(), ToString::to_string);
    json!({
        "ruleId": problem.error,
        "level": level,
        "message": {"text": format!("{}; {}", problem.message, problem.hint)},
        "locations": [location(&problem.path, problem.line, None)],
        "partialFingerprints": {"hewtoPromise/v1": format!("{}:{}:{name}", problem.error, problem.path)},
    })
}

fn related(place: &PlaceView) -> Value {
    location(&place.path, place.line, Some(place.end))
}

fn location(path: &str, line: u32, end: Option<u32>) -> Value {
    let mut region = json!({"startLine": line.max(1)});
    if let Some(end) = end {
        region["endLine"] = json!(end.max(line.max(1)));
    }
    json!({"physicalLocation": {"artifactLocation": {"uri": uri(path), "uriBaseId": "%SRCROOT%"}, "region": region}})
}

/// A path as a relative reference.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn describe(row: &PromiseView) -> String {
    let text = match row.state {
        State::Uncovered => "A scenario has no linked test",
        State::Linked => "A scenario has a linked test and no run shows it",
        State::Failed => "A linked test failed",
        State::NotRun => "A linked test did not run",
        State::Ambiguous => "A report cannot tell the linked test from another",
        State::Unexercised => "The linked code was not executed by the run that passed",
        State::Stale => "Code or test changed since the run",
        State::Suspect => "The promise changed and its test did not",
        State::Unreviewed => "Linked code changed and no test is linked",
        State::Unlinked => "A tag is gone",
        State::Verified | State::Moved => "The promise is kept",
    };
    text.to_owned()
}
