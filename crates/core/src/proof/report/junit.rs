//! JUnit XML, as Surefire, Gradle, pytest, nextest, vitest, jest-junit, gotestsum, googletest and others write it.

use super::text::{message, refs_of, rust_path};
use super::xml::{DocumentType, Element, Node, Xml};
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

/// A test suite that is open.
struct Suite {
    depth: usize,
    name: Option<String>,
    file: Option<String>,
}

/// The test case that is open.
struct Open {
    depth: usize,
    case: CaseResult,
    /// The depth of the failure whose text may still say more.
    failure: Option<(usize, String)>,
}

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    let mut xml = Xml::new(text, DocumentType::Refused);
    let mut suites: Vec<Suite> = Vec::new();
    let mut open: Option<Open> = None;
    loop {
        match xml.next()? {
            Node::Open(element) => match (element.name(), &mut open) {
                ("testsuites", None) => {}
                ("testsuite", None) => {
                    let [name, file] = element.attributes(&xml, ["name", "file"])?;
                    suites.push(Suite { depth: element.depth, name, file });
                }
                ("testcase", None) => open = Some(begin(&xml, &element, &suites)?),
                (_, Some(open)) => inside(&xml, &element, open)?,
                (name, None) if element.depth == 1 => {
                    let problem =
                        format!("`<{}>` is not a report of JUnit", name.chars().take(40).collect::<String>());
                    return Err(ReportError::malformed(xml.line(), problem));
                }
                _ => {}
            },
            Node::Close { depth } => {
                if let Some(current) = &mut open
                    && let Some((at, said)) = &current.failure
                    && *at == depth
                {
                    if current.case.message.is_none() {
                        current.case.message = message(said);
                    }
                    current.failure = None;
                }
                if open.as_ref().is_some_and(|open| open.depth == depth)
                    && let Some(done) = open.take()
                {
                    cases.push(done.case)?;
                }
                if suites.last().is_some_and(|suite| suite.depth == depth) {
                    suites.pop();
                }
            }
            Node::Text(said) => {
                if let Some(Open { failure: Some((_, text)), .. }) = &mut open
                    && text.len() < 4096
                {
                    text.push_str(&said);
                }
            }
            Node::End => return Ok(()),
        }
    }
}

fn begin(xml: &Xml<'_>, element: &Element<'_>, suites: &[Suite]) -> Result<Open, ReportError> {
    let [name, class, file, status, result] =
        element.attributes(xml, ["name", "classname", "file", "status", "result"])?;
    let name = name.unwrap_or_default();
    let mut enclosing: Vec<String> =
        suites.iter().filter_map(|suite| suite.name.clone()).filter(|name| !name.is_empty()).collect();
    let mut file = file.or_else(|| suites.iter().rev().find_map(|suite| suite.file.clone()));
    if let Some(class) = class.filter(|class| !class.is_empty()) {
        if enclosing.last() != Some(&class) {
            enclosing.push(class);
        } else if file.is_none() && is_file(&class) {
            // vitest calls both the suite and the class by the file.
            enclosing.pop();
            file = Some(class);
        }
    }
    let (modules, title) = rust_path(&name);
    let title = match file.as_ref().and_then(|_| title.rsplit_once(" > ")) {
        Some((describes, title)) if modules.is_empty() => {
            enclosing.extend(describes.split(" > ").map(str::to_owned));
            title
        }
        _ => title,
    };
    enclosing.extend(modules);
    let outcome = match (status.as_deref(), result.as_deref()) {
        (Some("failed" | "error"), _) => CaseOutcome::Failed,
        // googletest says so in an attribute.
        (Some("notrun" | "disabled" | "skipped"), _) | (_, Some("skipped" | "suppressed")) => {
            CaseOutcome::Skipped
        }
        _ => CaseOutcome::Passed,
    };
    let case = CaseResult { file, ..case(enclosing, title, outcome) };
    Ok(Open { depth: element.depth, case, failure: None })
}

fn inside(xml: &Xml<'_>, element: &Element<'_>, open: &mut Open) -> Result<(), ReportError> {
    match element.name() {
        // A test that failed before it passed in the same run has shown nothing.
        "failure" | "error" | "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {
            open.case.outcome = CaseOutcome::Failed;
            if open.case.message.is_none() {
                let [said] = element.attributes(xml, ["message"])?;
                open.case.message = said.as_deref().and_then(message);
                open.failure = Some((element.depth, String::new()));
            }
        }
        "skipped" if open.case.outcome != CaseOutcome::Failed => open.case.outcome = CaseOutcome::Skipped,
        "property" => {
            let [name, value] = element.attributes(xml, ["name", "value"])?;
            if name.as_deref() == Some("spec") {
                refs_of(&value.unwrap_or_default(), &mut open.case.refs);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether a name looks like a source file's.
fn is_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "ts" | "tsx" | "js" | "jsx" | "mts" | "cts" | "mjs" | "cjs" | "vue" | "svelte")
}
