//! Why a change is not archived, all of it at once.

use hewto_core::archive as core_archive;
use hewto_core::check::{ChangeIssue, IssueSection};
use hewto_store::Context;
use serde_json::{Value, json};

use super::item_name;
use super::obstacles::{Obstacle, ObstacleKind};
use crate::error::{Action, Error, Hint, Key, Kind};
use crate::gate;
use crate::item::Item;
use crate::workspace::Workspace;

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

/// The error for tasks that nobody has ticked.
pub(super) fn tasks_open(ws: &Workspace, ctx: &Context, id: &str, open: usize, all: usize) -> Error {
    let item = item_name(id);
    // What keeps the gate from being asked is told when it is.
    let asks_a_person = Item::load(ws, ctx, &item)
        .and_then(|item| gate::open_tasks_need_a_person(ws, ctx, &item))
        .unwrap_or_default();
    let (short, hint) = if asks_a_person {
        let person = format!("let a person run `hewto approve {item} --allow-open-tasks`");
        ("finish them, or let a person allow open tasks", format!("finish them, or {person}, then "))
    } else {
        ("finish them, or allow open tasks", "finish them, or ".to_owned())
    };
    Error::new(Kind::Refused, Key::TasksOpen, format!("{open} of {all} tasks of `{id}` are open"))
        .detail("change_id", id)
        .detail("errors", json!([fault(&format!("{open} of {all} tasks are open"), short)]))
        .hint(Hint::from(hint).action(Action::ArchiveOpenChange { change: id.to_owned() }))
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
