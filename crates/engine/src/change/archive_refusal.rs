//! Why a change is not archived, all of it at once.

use hewto_core::archive as core_archive;
use hewto_core::check::{ChangeIssue, IssueSection};
use serde_json::{Value, json};

use super::obstacles::{Obstacle, ObstacleKind};
use crate::error::{Error, Key, Kind};

/// What is wrong with the deltas and flags beyond what applying them shows. Proposal and tasks stop no archive.
pub(super) fn faults(issues: &[ChangeIssue]) -> Vec<Value> {
    let counts = |issue: &&ChangeIssue| {
        core_archive::stops(issue)
            && matches!(issue.issue.section, IssueSection::Deltas | IssueSection::Metadata)
    };
    let tell = |issue: &ChangeIssue| {
        let diagnostic = &issue.issue.diagnostic;
        fault(&format!("{}:{}: {}", issue.file, diagnostic.line, diagnostic.message), &diagnostic.hint)
    };
    issues.iter().filter(counts).map(tell).collect()
}

pub(super) fn fault(message: &str, hint: &str) -> Value {
    json!({ "capability": null, "requirement": null, "scenario": null, "message": message, "hint": hint })
}

/// The error for what stands in the way beside the deltas.
pub(super) fn hindered(id: &str, obstacles: &[Obstacle]) -> Error {
    let faults: Vec<Value> = obstacles.iter().map(|one| fault(&one.message, &one.hint)).collect();
    let mut error = refused(id, &json!(faults));
    match obstacles {
        [Obstacle { kind: ObstacleKind::Taken, .. }] => error.key = Key::ArchiveTargetExists,
        [Obstacle { kind: ObstacleKind::Build, .. }] => {
            error.key = Key::InvalidTransition;
            error = error.detail("valid_transitions", json!(["done", "cancelled"]));
        }
        _ => {}
    }
    error
}

pub(super) fn refused(id: &str, problems: &Value) -> Error {
    let problems = problems.as_array().map(Vec::as_slice).unwrap_or_default();
    let of_first = |key: &str| problems.first().and_then(|problem| problem[key].as_str()).unwrap_or_default();
    let first = of_first("message");
    let (more, hint) = match problems.len() {
        0 | 1 => (String::new(), format!("{}; nothing was written", of_first("hint"))),
        n => (format!(" (and {} more)", n - 1), "correct all of them; nothing was written".to_owned()),
    };
    Error::new(Kind::Refused, Key::ArchiveRefused, format!("`{id}` cannot be archived: {first}{more}"))
        .detail("change_id", id)
        .detail("errors", json!(problems))
        .hint(hint)
}
