//! The Test Anything Protocol, versions 12 to 14, with the subtests of node's and others' writers.

use super::text::message;
use super::{CaseOutcome, Cases, ReportError, case};

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    // Subtests that have been announced, each with its indent.
    let mut subtests: Vec<(usize, &str)> = Vec::new();
    // The test whose assertions follow, as tape announces it.
    let mut group: Option<&str> = None;
    // The indent of the block of details that is open.
    let mut details: Option<usize> = None;
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let body = body.trim_end();
        if let Some(at) = details {
            if indent <= at && body == "..." {
                details = None;
            } else if let Some(case) = cases.0.last_mut() {
                detail(case, body);
            }
            continue;
        }
        if body == "---" {
            details = Some(indent);
        } else if let Some(name) = body.strip_prefix("# Subtest: ") {
            subtests.retain(|(at, _)| *at < indent);
            subtests.push((indent, name));
        } else if let Some(name) = group_name(body).filter(|_| indent == 0) {
            group = Some(name);
        } else if let Some((passed, rest)) = result(body) {
            let (title, directive) = split_directive(rest);
            let group = group.filter(|_| indent == 0).into_iter().map(str::to_owned);
            let suites = subtests.iter().filter(|(at, _)| *at < indent).map(|(_, name)| (*name).to_owned());
            let outcome = match (directive, passed) {
                (Some(()), _) => CaseOutcome::Skipped,
                (None, true) => CaseOutcome::Passed,
                (None, false) => CaseOutcome::Failed,
            };
            cases.push(case(group.chain(suites).collect(), title, outcome))?;
            subtests.retain(|(at, _)| *at < indent);
        } else if let Some(reason) = body.strip_prefix("Bail out!") {
            let mut bailed = case(Vec::new(), "Bail out!", CaseOutcome::Failed);
            bailed.message = message(reason);
            cases.push(bailed)?;
            break;
        }
    }
    Ok(())
}

/// The name in a comment that announces a test; the counts at the end are none.
fn group_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("# ")?.trim();
    let first = name.split(' ').next().unwrap_or_default();
    let is_count = name.split(' ').nth(1).is_some_and(|word| word.parse::<f64>().is_ok());
    (!name.is_empty()
        && name != "ok"
        && !(is_count && first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')))
    .then_some(name)
}

/// `ok 1 - title` or `not ok 1 - title`.
fn result(line: &str) -> Option<(bool, &str)> {
    let (passed, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    Some((passed, rest.strip_prefix("- ").unwrap_or(rest)))
}

/// The title, and whether a directive says that the result counts for nothing.
fn split_directive(rest: &str) -> (String, Option<()>) {
    // A `#` that is part of the title is written `\#`.
    let directive = rest.match_indices('#').find_map(|(at, _)| {
        let is_escaped = rest[..at].ends_with('\\');
        let word = rest[at + 1..].trim_start();
        let is = |name: &str| word.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        (!is_escaped && (is("skip") || is("todo"))).then_some(at)
    });
    let title = directive.map_or(rest, |at| &rest[..at]).trim().replace("\\#", "#");
    (title, directive.map(|_| ()))
}

/// A line of details: what was wrong, and where the test stands.
fn detail(case: &mut super::CaseResult, line: &str) {
    let Some((key, value)) = line.split_once(':') else { return };
    let value = value.trim().trim_matches(['\'', '"']);
    match key {
        "error" | "message" if case.message.is_none() && case.outcome == CaseOutcome::Failed => {
            case.message = message(value).filter(|value| !value.starts_with(['|', '>']));
        }
        // node writes `file:line:column`.
        "location" if case.file.is_none() => {
            let file = value.rsplitn(3, ':').last().filter(|file| !file.is_empty());
            case.file = file.map(str::to_owned);
        }
        _ => {}
    }
}
