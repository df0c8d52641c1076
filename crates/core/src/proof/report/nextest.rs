//! cargo-nextest: its JUnit file, or its messages in the harness's JSON (`--message-format libtest-json`).

use super::text::rust_path;
use super::{CaseOutcome, CaseResult, Cases, ReportError, case, junit, libtest};

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    if text.trim_start().starts_with('<') {
        junit::read(text, cases)
    } else if text.lines().any(libtest::is_json) {
        libtest::read_json(text, cases, named)
    } else if text.trim().is_empty() {
        Ok(())
    } else {
        Err(ReportError::malformed(1, "it is neither JUnit XML nor a message in JSON"))
    }
}

/// `package::binary$module::name`, with `#2` where it was tried again.
fn named(name: &str, outcome: CaseOutcome) -> CaseResult {
    let (binary, name) = name.split_once('$').unwrap_or(("", name));
    let name = match name.rsplit_once('#') {
        Some((name, attempt)) if attempt.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    let (modules, title) = rust_path(name);
    let mut suites: Vec<String> =
        Some(binary).filter(|binary| !binary.is_empty()).map(str::to_owned).into_iter().collect();
    suites.extend(modules);
    case(suites, title, outcome)
}
