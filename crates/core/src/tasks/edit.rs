//! Edits of a task list that leave everything else as it stands.

use std::fmt::Write;

use thiserror::Error;

use super::item::notes_span;
use super::render::harmless_lines;
use super::{Task, TasksDoc, detail};
use crate::document::{Document, EolStyle, Span};

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TasksError {
    #[error("there is no task {index}: the list has {total}, counted from 0")]
    NoTask { index: usize, total: usize },
}

/// Ticks one task.
pub fn tick(text: &str, index: usize) -> Result<String, TasksError> {
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    let mark = task_at(&tasks, index)?.mark.clone();
    Ok(spliced(text, mark, "x"))
}

/// Ticks one task and writes down notes on it.
pub fn complete(text: &str, index: usize, notes: Option<&str>) -> Result<String, TasksError> {
    let ticked = tick(text, index)?;
    match notes.map(str::trim).filter(|notes| !notes.is_empty()) {
        Some(notes) => with_notes(&ticked, index, notes),
        None => Ok(ticked),
    }
}

/// Opens a task again and writes down why, below the notes it has.
pub fn reopen(text: &str, index: usize, reason: &str) -> Result<String, TasksError> {
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    let task = task_at(&tasks, index)?;
    let notes = reopened_notes(detail(text, task).notes.as_deref(), reason);
    with_notes(&spliced(text, task.mark.clone(), " "), index, &notes)
}

/// The notes of a step that is open again.
pub(crate) fn reopened_notes(notes: Option<&str>, reason: &str) -> String {
    let reason = format!("Reopened: {}", reason.trim());
    notes.map_or_else(|| reason.clone(), |notes| format!("{notes}\n{reason}"))
}

/// Puts another approach above the groups.
pub fn replace_approach(text: &str, approach: &str) -> String {
    let document = Document::parse(text);
    let intro = TasksDoc::read(&document).intro;
    let approach = in_line_ends(text, &harmless_lines(approach));
    if !intro.is_empty() {
        return spliced(text, intro, &approach);
    }
    let line_end = line_end(text);
    let before = match &text[..intro.start] {
        head if head.trim_matches(['\u{feff}']).trim().is_empty() || head.ends_with("\n\n") => "",
        head if head.ends_with('\n') => line_end,
        _ => &line_end.repeat(2),
    };
    let after = if text[intro.end..].trim().is_empty() { line_end } else { &line_end.repeat(2) };
    spliced(text, intro, &format!("{before}{approach}{after}"))
}

fn with_notes(text: &str, index: usize, notes: &str) -> Result<String, TasksError> {
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    let task = task_at(&tasks, index)?;
    let indent = " ".repeat(task.content_indent);
    let lines = in_line_ends(text, &notes_lines(notes, &indent));
    if let Some(span) = notes_span(text, task) {
        return Ok(spliced(text, span, &lines));
    }
    let end = task.end();
    Ok(spliced(text, end..end, &format!("{}{lines}", line_end(text))))
}

/// `- **Notes:** …` at an indentation, with the lines after the first one deeper.
pub(super) fn notes_lines(notes: &str, indent: &str) -> String {
    let notes = harmless_lines(notes);
    let mut lines = notes.lines().peekable();
    // A fence opens at the start of a line only.
    let first = lines.next_if(|line| !line.starts_with(['`', '~'])).unwrap_or_default();
    let mut out = format!("{indent}- **Notes:** {first}").trim_end().to_owned();
    for line in lines {
        out.push('\n');
        if !line.is_empty() {
            let _ = write!(out, "{indent}  {line}");
        }
    }
    out
}

fn task_at<'a, 't>(tasks: &'a TasksDoc<'t>, index: usize) -> Result<&'a Task<'t>, TasksError> {
    let total = tasks.tasks().count();
    tasks.tasks().nth(index).ok_or(TasksError::NoTask { index, total })
}

/// The line of a task and its body, with the line end.
pub(super) fn whole_lines(text: &str, task: &Task<'_>) -> Span {
    let end = task.end();
    let rest = &text[end..];
    let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
    // Blanks at the end of the last line belong to it.
    let line = if rest[..line].trim().is_empty() { line } else { 0 };
    task.line.start..end + line
}

pub(super) fn spliced(text: &str, span: Span, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}

pub(super) fn line_end(text: &str) -> &'static str {
    EolStyle::of(text).as_str()
}

pub(super) fn in_line_ends(text: &str, new: &str) -> String {
    EolStyle::of(text).applied_to(new)
}
