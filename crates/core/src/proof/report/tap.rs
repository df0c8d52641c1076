//! The Test Anything Protocol, versions 12 to 14, with the subtests of node's and others' writers, in braces too.

use super::text::message;
use super::{CaseOutcome, Cases, ReportError, case};

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    // Subtests that have been announced, each with its indent.
    let mut subtests: Vec<(usize, &str)> = Vec::new();
    // The test whose assertions follow, as tape announces it.
    let mut group: Option<&str> = None;
    // The indent of the block of details that is open.
    let mut details: Option<usize> = None;
    // Subtests in braces that are said to have failed, and how many cases there were before them.
    let mut failed: Vec<Braced<'_>> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
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
        } else if body == "}" {
            close(&mut failed, indent, cases)?;
        } else if let Some((passed, rest)) = result(body) {
            // The result of a subtest may come before what is in it; then that is what counts.
            let is_deeper =
                |next: &&str| next.starts_with(' ') && next.len() - next.trim_start().len() > indent;
            if let Some(name) = rest.strip_suffix(" {").filter(|_| lines.peek().is_some_and(is_deeper)) {
                let name = uncommented(name);
                subtests.retain(|(at, _)| *at < indent);
                subtests.push((indent, name));
                failed.extend((!passed).then_some(Braced { indent, name, before: cases.0.len() }));
                continue;
            }
            let (title, directive) = split_directive(rest);
            let group = group.filter(|_| indent == 0).into_iter().map(str::to_owned);
            let suites = subtests.iter().filter(|(at, _)| *at < indent).map(|(_, name)| (*name).to_owned());
            let outcome = match (directive, passed) {
                (Some(()), _) => CaseOutcome::Skipped,
                (None, true) => CaseOutcome::Passed,
                (None, false) => CaseOutcome::Failed,
            };
            let (file, title) = split_file(&title);
            let named = case(group.chain(suites).collect(), title, outcome);
            cases.push(super::CaseResult { file: file.map(str::to_owned), ..named })?;
            subtests.retain(|(at, _)| *at < indent);
        } else if let Some(reason) = body.strip_prefix("Bail out!") {
            let mut bailed = case(Vec::new(), "Bail out!", CaseOutcome::Failed);
            bailed.message = message(reason);
            cases.push(bailed)?;
            break;
        }
    }
    close(&mut failed, 0, cases)
}

/// A subtest whose result comes first: `not ok 1 - name {`.
struct Braced<'t> {
    indent: usize,
    name: &'t str,
    before: usize,
}

/// Ends the subtests at this indent and deeper. One that failed though nothing in it did has failed by itself.
fn close(failed: &mut Vec<Braced<'_>>, indent: usize, cases: &mut Cases) -> Result<(), ReportError> {
    while let Some(one) = failed.pop_if(|one| one.indent >= indent) {
        if !cases.0[one.before..].iter().any(|case| case.outcome == CaseOutcome::Failed) {
            cases.push(case(Vec::new(), one.name, CaseOutcome::Failed))?;
        }
    }
    Ok(())
}

/// A title without how long it took.
fn uncommented(title: &str) -> &str {
    title.rfind(" # time=").map_or(title, |at| &title[..at]).trim_end()
}

/// The file that a flat report of JavaScript's runners writes before each title: `test/a.test.js > accounts > signs in`.
fn split_file(title: &str) -> (Option<&str>, &str) {
    const SCRIPTS: [&str; 10] =
        [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"];
    match title.split_once(" > ") {
        Some((file, rest)) if !file.contains(' ') && SCRIPTS.iter().any(|end| file.ends_with(end)) => {
            (Some(file), rest)
        }
        _ => (None, title),
    }
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
    let rest = uncommented(rest);
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
