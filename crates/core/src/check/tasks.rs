//! A task list as it should be.

use std::collections::HashMap;

use super::change::ChangeFiles;
use super::{Issue, IssueSection, Report};
use crate::change::ChangeFlags;
use crate::document::Document;
use crate::outline::{Outline, lines};
use crate::rules::changes as rules;
use crate::rules::dialect::Dialect;
use crate::tasks::{Task, TasksDoc, task_in};

/// How much of a task a message shows, in characters.
const SHOWN: usize = 30;

pub(super) fn check(change: &ChangeFiles<'_>, flags: &ChangeFlags, dialect: Dialect) -> Vec<Issue> {
    let mut report = Report::new(change.tasks.unwrap_or_default(), dialect, IssueSection::Tasks);
    let name = change.names.tasks;
    let Some(text) = change.tasks else {
        let hint = "list the work as `- [ ] 1.1 <what>`";
        report.add(&rules::TASKS_MISSING, &(0..0), format!("there is no `{name}`"), hint);
        return report.issues;
    };
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    if tasks.groups.is_empty() {
        check_empty(&mut report, name, &document);
    }
    for task in tasks.tasks().filter(|task| task.number.is_none()) {
        let message = format!("task `{}` has no number", shown(task.text));
        report.add(&rules::TASK_NUMBER, &task.line, message, "begin it with a number such as `1.1`");
    }
    if flags.numbers_tasks() {
        check_numbers(&mut report, &document, &tasks);
    }
    report.sorted()
}

fn check_empty(report: &mut Report<'_>, name: &str, document: &Document<'_>) {
    let text = document.text();
    // OpenSpec counts boxes in code too.
    let has_box = lines(text, 0..text.len()).any(|line| task_in(line.text).is_some());
    let item = document.blocks().iter().find(|block| block.item().is_some() && block.nesting == 0);
    let hint = "write each task as `- [ ] 1.1 <what>`";
    match item.filter(|_| report.dialect != Dialect::OpenSpec || !has_box) {
        Some(item) => {
            let message = format!("`{name}` has a list, but nothing in it can be ticked");
            report.add(&rules::TASKS_UNCHECKABLE, &item.span, message, hint);
        }
        None => report.add(&rules::TASKS_EMPTY, &(0..0), format!("`{name}` has no checkbox"), hint),
    }
}

/// Numbers inside groups such as `## 1. Name`: each once, each in its group.
fn check_numbers(report: &mut Report<'_>, document: &Document<'_>, tasks: &TasksDoc<'_>) {
    let outline = Outline::read(document);
    let groups: Vec<(usize, Option<&str>)> = outline
        .headings
        .iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| (heading.span.start, group_number(heading.name())))
        .collect();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for task in tasks.tasks() {
        let at = groups.partition_point(|(start, _)| *start < task.line.start);
        let group = at.checked_sub(1).and_then(|at| groups[at].1);
        let (Some(group), Some(number)) = (group, task.number) else { continue };
        check_number(report, task, group, number);
        match seen.get(number) {
            Some(place) => {
                let line = report.line_of(*place);
                let message = format!("task number `{number}` is on line {line} already");
                report.add(&rules::TASK_DUPLICATE, &task.line, message, "give one of the two another number");
            }
            None => {
                seen.insert(number, task.line.start);
            }
        }
    }
}

fn check_number(report: &mut Report<'_>, task: &Task<'_>, group: &str, number: &str) {
    let own = number.split('.').next().unwrap_or_default();
    if own.trim_start_matches('0') != group.trim_start_matches('0') {
        let message = format!("task `{number}` is in group {group}");
        report.add(
            &rules::TASK_GROUP,
            &task.line,
            message,
            format!("move it to group {own}, or renumber it"),
        );
    }
}

fn group_number(title: &str) -> Option<&str> {
    let (digits, rest) = title.split_once('.')?;
    let numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (numbered && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(digits)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
