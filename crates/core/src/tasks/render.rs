//! A task list from scratch.

use std::fmt::Write;

use super::task_in;

/// What a new `tasks.md` holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTasks {
    /// How the work is approached; stands above the groups.
    pub approach: Option<String>,
    pub groups: Vec<NewGroup>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewGroup {
    pub name: String,
    pub steps: Vec<NewStep>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewStep {
    pub title: String,
    pub description: String,
    /// Left out of the list when there is none.
    pub complexity: Option<String>,
}

/// The list of a new change until somebody plans it: a place for tasks, not a task.
pub const PLACEHOLDER: &str = "# Tasks\n\n## 1. Implementation\n\n- [ ] 1.1 TBD: list the work\n";

/// Writes a list with numbered groups and tasks.
pub fn render(tasks: &NewTasks) -> String {
    let mut out = String::from("# Tasks\n");
    if let Some(approach) = tasks.approach.as_deref().map(harmless_lines).filter(|text| !text.is_empty()) {
        out.push('\n');
        out.push_str(&approach);
        out.push('\n');
    }
    for (index, group) in tasks.groups.iter().enumerate() {
        let number = index + 1;
        let _ = write!(out, "\n## {number}. {}\n\n", one_line(&group.name));
        for (step_index, step) in group.steps.iter().enumerate() {
            out.push_str(&step_lines(step, &format!("{number}.{}", step_index + 1), ' '));
        }
    }
    out
}

/// The lines of one step, each ended by a line feed; a number that is empty is left out.
pub(super) fn step_lines(step: &NewStep, number: &str, mark: char) -> String {
    let gap = if number.is_empty() { "" } else { " " };
    let mut out = format!("- [{mark}] {number}{gap}{}\n", one_line(&step.title));
    out.push_str(&detail_lines(step, "  "));
    out
}

/// The lines below a step, at an indentation.
pub(super) fn detail_lines(step: &NewStep, indent: &str) -> String {
    let mut out = String::new();
    let description = indented(&step.description, indent);
    if !description.is_empty() {
        let _ = write!(out, "\n{description}\n");
    }
    if let Some(complexity) = step.complexity.as_deref().map(one_line).filter(|text| !text.is_empty()) {
        let _ = write!(out, "\n{indent}- **Complexity:** {complexity}\n");
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Text that neither opens a group nor a task, and hides nothing that follows.
pub(super) fn harmless_lines(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut out: Vec<String> = Vec::new();
    for line in text.trim().lines().map(str::trim_end) {
        let inner = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| inner.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                out.push(line.to_owned());
            }
            (Some(open), Some(mark)) if open == mark && inner.trim_start_matches(['`', '~']).is_empty() => {
                fence = None;
                out.push(line.to_owned());
            }
            (Some(_), _) => out.push(line.to_owned()),
            (None, None) => out.push(harmless(line)),
        }
    }
    // Longer than any fence that the text can have opened with.
    out.extend(fence.map(|mark| mark[..1].repeat(text.len().clamp(3, 80))));
    out.join("\n")
}

/// A line of prose, escaped where it would be a heading, a task or the start of HTML.
fn harmless(line: &str) -> String {
    let inner = line.trim_start();
    let indent = &line[..line.len() - inner.len()];
    let underline = !inner.is_empty() && inner.bytes().all(|byte| matches!(byte, b'=' | b'-' | b' '));
    if inner.starts_with(['#', '<']) || underline {
        return format!("{indent}\\{inner}");
    }
    match task_in(line) {
        Some(task) => format!("{}\\{}", &line[..task.mark.start - 1], &line[task.mark.start - 1..]),
        None => line.to_owned(),
    }
}

/// Text that stays in its list item whatever it holds.
fn indented(text: &str, indent: &str) -> String {
    let lines = harmless_lines(text);
    let lines =
        lines.lines().map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") });
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
