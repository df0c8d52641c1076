//! Visual Studio's test results. Results come first, the classes they belong to later, so both are joined by id.

use std::collections::HashMap;

use super::text::message;
use super::xml::{DocumentType, Node, Xml};
use super::{CaseOutcome, CaseResult, Cases, ReportError, case};

pub(super) fn read(text: &str, cases: &mut Cases) -> Result<(), ReportError> {
    let mut xml = Xml::new(text, DocumentType::Refused);
    let mut ids: Vec<Option<String>> = Vec::new();
    let mut classes: HashMap<String, String> = HashMap::new();
    let mut definition: Option<String> = None;
    // The results that are open: a data-driven one holds those of its rows.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut said: Option<(usize, String)> = None;
    loop {
        match xml.next()? {
            Node::Open(element) => match element.name() {
                name if element.depth == 1 && name != "TestRun" => {
                    return Err(ReportError::malformed(xml.line(), "its root is not `<TestRun>`"));
                }
                "UnitTestResult" | "TestResult" | "ManualTestResult" | "GenericTestResult" => {
                    let [id, name, outcome] = element.attributes(&xml, ["testId", "testName", "outcome"])?;
                    let outcome = outcome_of(outcome.as_deref());
                    cases.push(case(Vec::new(), name.unwrap_or_default(), outcome))?;
                    ids.push(id);
                    open.push((element.depth, cases.0.len() - 1));
                }
                "Message" if said.is_none() && !open.is_empty() => {
                    said = Some((element.depth, String::new()));
                }
                "UnitTest" => [definition] = element.attributes(&xml, ["id"])?,
                "TestMethod" => {
                    let [class] = element.attributes(&xml, ["className"])?;
                    if let (Some(id), Some(class)) = (definition.take(), class) {
                        classes.insert(id, class);
                    }
                }
                _ => {}
            },
            Node::Text(text) => {
                if let Some((_, so_far)) = &mut said
                    && so_far.len() < 4096
                {
                    so_far.push_str(&text);
                }
            }
            Node::Close { depth } => {
                if let Some((_, text)) = said.take_if(|(at, _)| *at == depth)
                    && let Some((_, index)) = open.last()
                {
                    let case = &mut cases.0[*index];
                    case.message = case.message.take().or_else(|| message(&text));
                }
                if open.last().is_some_and(|(at, _)| *at == depth) {
                    open.pop();
                }
            }
            Node::End => break,
        }
    }
    for (case, id) in cases.0.iter_mut().zip(ids) {
        if let Some(class) = id.and_then(|id| classes.get(&id)) {
            enclose(case, class);
        }
    }
    Ok(())
}

/// The class becomes what encloses the test; a title that repeats it is cut.
fn enclose(case: &mut CaseResult, class: &str) {
    // `Namespace.Class, Assembly, Version=…` is written by old runners.
    let class = class.split(',').next().unwrap_or(class).trim();
    if let Some(title) = case.title.strip_prefix(class).and_then(|rest| rest.strip_prefix('.')) {
        case.title = title.to_owned();
    }
    case.suites.push(class.to_owned());
}

fn outcome_of(outcome: Option<&str>) -> CaseOutcome {
    match outcome {
        Some("Passed" | "PassedButRunAborted") => CaseOutcome::Passed,
        Some(
            "NotExecuted" | "NotRunnable" | "Inconclusive" | "Pending" | "Disconnected" | "Warning"
            | "InProgress" | "Completed",
        ) => CaseOutcome::Skipped,
        // Absent means failed in this format's schema.
        _ => CaseOutcome::Failed,
    }
}
