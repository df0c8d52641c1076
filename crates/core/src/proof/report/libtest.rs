//! What Rust's own test harness prints: lines of text, or lines of JSON where somebody asked a nightly for them.

use std::collections::HashMap;

use serde::Deserialize;

use super::text::{message, rust_path};
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    if text.lines().any(is_json) { read_json(text, cases, named) } else { read_text(text, cases) }
}

/// Whether a line is a message of the harness.
pub(super) fn is_json(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('{') && line.contains("\"type\"") && line.contains("\"event\"")
}

/// A test by its path: `module::name`, or that of a documentation test.
fn named(name: &str, outcome: CaseOutcome) -> CaseResult {
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    if let Some((file, _)) = name.split_once(" - ")
        && name.contains("(line ")
    {
        return CaseResult { file: Some(file.to_owned()), ..case(Vec::new(), name, outcome) };
    }
    let (modules, title) = rust_path(name);
    case(modules, title, outcome)
}

fn read_text(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    // The file of the binary that is running; cargo names it where its own output is in the report.
    let mut file: Option<String> = None;
    let mut pending: Option<&str> = None;
    let mut failures = Failures::default();
    let mut first_of_binary = 0;
    for line in text.lines() {
        let bare = line.trim_end();
        if let Some(name) = pending {
            if let Some(outcome) = outcome_of(bare.trim()) {
                cases.push(CaseResult { file: file.clone(), ..named(name, outcome) })?;
                pending = None;
                continue;
            }
            if bare.starts_with("test result: ") {
                pending = None;
            }
        }
        if failures.take(bare) {
            continue;
        }
        if bare.starts_with("test result: ") {
            failures.tell(&mut cases.0[first_of_binary..]);
            first_of_binary = cases.0.len();
        } else if let Some(running) = bare.trim_start().strip_prefix("Running ") {
            file = running.trim_start_matches("unittests ").split(" (").next().map(str::to_owned);
        } else if bare.trim_start().starts_with("Doc-tests ") {
            file = None;
        } else if let Some((name, end)) =
            bare.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            match outcome_of(end) {
                Some(outcome) => {
                    let case = named(name, outcome);
                    cases.push(CaseResult { file: case.file.clone().or_else(|| file.clone()), ..case })?;
                }
                // Without capturing, what the test prints stands between its name and its end.
                None => pending = bare.strip_prefix("test ").and_then(|rest| rest.split(" ... ").next()),
            }
        } else if let Some(name) = bare.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ...")) {
            pending = Some(name);
        }
    }
    failures.tell(&mut cases.0[first_of_binary..]);
    Ok(())
}

fn outcome_of(end: &str) -> Option<CaseOutcome> {
    let word = end.split([',', ' ', '<']).next().unwrap_or_default();
    match word {
        "ok" => Some(CaseOutcome::Passed),
        "FAILED" => Some(CaseOutcome::Failed),
        // A measurement is no test.
        "ignored" | "bench:" => Some(CaseOutcome::Skipped),
        _ => None,
    }
}

/// The part after `failures:`, where failed tests say what they printed; whatever looks like a result there is none.
#[derive(Default)]
struct Failures {
    inside: bool,
    name: Option<String>,
    panicked: bool,
    messages: HashMap<String, String>,
}

impl Failures {
    /// Takes a line that belongs to the failures.
    fn take(&mut self, line: &str) -> bool {
        if line == "failures:" {
            self.inside = true;
            return true;
        }
        if !self.inside || line.starts_with("test result: ") {
            self.inside = false;
            return false;
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.name = Some(name.to_owned());
            self.panicked = false;
        } else if let Some(name) = &self.name
            && !self.messages.contains_key(name)
        {
            if self.panicked
                && let Some(said) = message(line)
            {
                self.messages.insert(name.clone(), said);
            }
            self.panicked |= line.contains(" panicked at ");
        }
        true
    }

    fn tell(&mut self, cases: &mut [CaseResult]) {
        if self.messages.is_empty() {
            return;
        }
        for case in cases.iter_mut().filter(|case| case.outcome == CaseOutcome::Failed) {
            let mut path = case.suites.join("::");
            if !path.is_empty() {
                path.push_str("::");
            }
            path.push_str(&case.title);
            case.message = self.messages.remove(&path);
        }
        self.messages.clear();
    }
}

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    stdout: Option<String>,
}

/// Reads the lines of JSON; lines of other programs between them are passed over.
pub(super) fn read_json(
    text: &str,
    cases: &mut Cases,
    named: fn(&str, CaseOutcome) -> CaseResult,
) -> Result<(), ReportError> {
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_json(line)) {
        let told: Message = serde_json::from_str(line).map_err(|error| {
            ReportError::malformed(index + 1, format!("it is not a message of the harness: {error}"))
        })?;
        if told.kind != "test" {
            continue;
        }
        let outcome = match told.event.as_str() {
            "ok" => CaseOutcome::Passed,
            "failed" | "timeout" => CaseOutcome::Failed,
            "ignored" => CaseOutcome::Skipped,
            _ => continue,
        };
        let said = told.stdout.as_deref().unwrap_or_default();
        let after = said.split_once(" panicked at ").and_then(|(_, rest)| rest.split_once('\n'));
        let message = (outcome == CaseOutcome::Failed)
            .then(|| after.and_then(|(_, rest)| message(rest)).or_else(|| message(said)))
            .flatten();
        cases.push(CaseResult { message, ..named(&told.name, outcome) })?;
    }
    Ok(())
}
