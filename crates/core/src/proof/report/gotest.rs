//! `go test -json`: one event a line, tests by package and name, subtests after a `/`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::text::message;
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'t> {
    #[serde(borrow)]
    action: Cow<'t, str>,
    #[serde(borrow, default)]
    package: Cow<'t, str>,
    #[serde(borrow, default)]
    test: Option<Cow<'t, str>>,
    #[serde(borrow, default)]
    output: Option<Cow<'t, str>>,
}

/// What is known of tests that have begun, and whether one of a package has failed.
#[derive(Default)]
struct Running {
    tests: HashMap<(String, String), Option<String>>,
    failed: HashMap<String, bool>,
}

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    let mut running = Running::default();
    let mut seen = false;
    for (index, line) in text.lines().enumerate() {
        // A build that fails writes lines of its own between the events.
        if !line.starts_with('{') {
            continue;
        }
        let event: Event<'_> = serde_json::from_str(line).map_err(|error| {
            ReportError::malformed(index + 1, format!("it is not an event of `go test -json`: {error}"))
        })?;
        seen = true;
        running.take(event, cases)?;
    }
    if !seen && !text.trim().is_empty() {
        return Err(ReportError::malformed(1, "it has no event of `go test -json`"));
    }
    // What began and never ended went down with its process.
    let mut lost: Vec<_> = running.tests.into_iter().collect();
    lost.sort_unstable();
    for ((package, test), said) in lost {
        let message = said.or_else(|| Some("it began and never ended".to_owned()));
        cases.push(CaseResult { message, ..named(&package, &test, CaseOutcome::Failed) })?;
    }
    Ok(())
}

impl Running {
    fn take(&mut self, event: Event<'_>, cases: &mut Cases) -> Result<(), ReportError> {
        let Some(test) = event.test else {
            // A package that fails without a failed test did not build, or crashed.
            if event.action == "fail" && !self.failed.contains_key(event.package.as_ref()) {
                let said = "the package failed outside its tests".to_owned();
                let whole = case(Vec::new(), event.package, CaseOutcome::Failed);
                cases.push(CaseResult { message: Some(said), ..whole })?;
            }
            return Ok(());
        };
        let key = (event.package.into_owned(), test.into_owned());
        let outcome = match event.action.as_ref() {
            "run" => {
                self.tests.entry(key).or_default();
                return Ok(());
            }
            "output" => {
                if let (Some(said), Some(output)) = (self.tests.get_mut(&key), event.output)
                    && said.is_none()
                    && !["=== ", "--- "].iter().any(|mark| output.trim_start().starts_with(mark))
                {
                    *said = message(&output);
                }
                return Ok(());
            }
            "pass" => CaseOutcome::Passed,
            "fail" => CaseOutcome::Failed,
            "skip" => CaseOutcome::Skipped,
            _ => return Ok(()),
        };
        let said = self.tests.remove(&key).flatten().filter(|_| outcome == CaseOutcome::Failed);
        if outcome == CaseOutcome::Failed {
            self.failed.insert(key.0.clone(), true);
        }
        cases.push(CaseResult { message: said, ..named(&key.0, &key.1, outcome) })
    }
}

fn named(package: &str, test: &str, outcome: CaseOutcome) -> CaseResult {
    let mut suites = vec![package.to_owned()];
    let title = match test.rsplit_once('/') {
        Some((above, title)) => {
            suites.extend(above.split('/').map(str::to_owned));
            title
        }
        None => test,
    };
    case(suites, title, outcome)
}
