//! Edits of a task list that leave everything else as it stands.

use std::fmt::Write;

use thiserror::Error;

use super::item::notes_span;
use super::render::{NewStep, detail_lines, harmless_lines, step_lines};
use super::{Task, TaskStatus, TasksDoc, detail};
use crate::document::{Document, EolStyle, Span};
use crate::near::fold;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TasksError {
    #[error("there is no task {index}: the list has {total}, counted from 0")]
    NoTask { index: usize, total: usize },
}

/// What [`replace_steps`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replaced {
    pub text: String,
    /// Titles of the steps that kept their mark and notes.
    pub kept: Vec<String>,
    /// Titles of the steps that are gone.
    pub dropped: Vec<String>,
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

/// Makes the list hold exactly these steps. A step whose title is already there keeps its line, mark and notes, in
/// its place; others are inserted behind the step before them. When the order of what stays has changed, the steps change
/// places, and all that stands between them stays.
pub fn replace_steps(text: &str, steps: &[NewStep]) -> Replaced {
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    let old: Vec<&Task<'_>> = tasks.tasks().collect();
    let mut free: Vec<bool> = vec![true; old.len()];
    let matched: Vec<Option<usize>> = steps
        .iter()
        .map(|step| {
            let wanted = fold(&step.title);
            let found = (0..old.len()).find(|&at| free[at] && fold(old[at].title) == wanted)?;
            free[found] = false;
            Some(found)
        })
        .collect();
    let kept = matched.iter().flatten().map(|&at| old[at].title.to_owned()).collect();
    let dropped = (0..old.len()).filter(|&at| free[at]).map(|at| old[at].title.to_owned()).collect();
    let in_order = matched.iter().flatten().is_sorted();
    let text = if in_order && !old.is_empty() {
        patched(text, &old, steps, &matched)
    } else {
        let exchanged = exchanged(text, &old, steps, &matched);
        exchanged.unwrap_or_else(|| rewritten(text, &tasks, &old, steps, &matched))
    };
    Replaced { text, kept, dropped }
}

fn patched(text: &str, old: &[&Task<'_>], steps: &[NewStep], matched: &[Option<usize>]) -> String {
    let mut edits: Vec<(Span, String)> = Vec::new();
    for (at, task) in old.iter().enumerate() {
        if !matched.contains(&Some(at)) {
            edits.push((whole_lines(text, task), String::new()));
        }
    }
    let mut anchor = old[0].line.start;
    // Numbers of other people's tasks stay; a new one takes the next of the list.
    let (group, mut number) = last_number(old);
    for (step, found) in steps.iter().zip(matched) {
        if let Some(at) = found {
            anchor = whole_lines(text, old[*at]).end;
            edits.extend(new_detail(text, old[*at], step));
        } else {
            number += 1;
            let lines = in_line_ends(text, &step_lines(step, &format!("{group}.{number}"), ' '));
            let opens = anchor > 0 && !text[..anchor].ends_with('\n');
            let gap = if opens { line_end(text) } else { "" };
            edits.push((anchor..anchor, format!("{gap}{lines}")));
        }
    }
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (span, new) in edits {
        out.push_str(&text[from..span.start.max(from)]);
        out.push_str(&new);
        from = span.end.max(from);
    }
    out.push_str(&text[from..]);
    out
}

/// Puts the steps into the places of the old ones, one after the other; what is over comes behind the last. `None` when
/// the result would not be read as these steps.
fn exchanged(text: &str, old: &[&Task<'_>], steps: &[NewStep], matched: &[Option<usize>]) -> Option<String> {
    let places: Vec<Span> = old.iter().map(|task| whole_lines(text, task)).collect();
    let end = places.last()?.end;
    let (group, mut number) = last_number(old);
    let mut blocks = steps.iter().zip(matched).enumerate().map(|(at, (step, found))| {
        let place = old.get(at).and_then(|task| task.number);
        let given = place.map_or_else(
            || {
                number += 1;
                format!("{group}.{number}")
            },
            str::to_owned,
        );
        match found.map(|at| old[at]) {
            Some(task) => block(text, task, step, Some(given.as_str()).filter(|_| task.number.is_some())),
            None => in_line_ends(text, &step_lines(step, &given, ' ')),
        }
    });
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        out.push_str(text.get(from..place.start)?);
        out.push_str(&blocks.next().unwrap_or_default());
        from = place.end;
    }
    blocks.for_each(|block| out.push_str(&block));
    if !text[end..].is_empty() || text.ends_with('\n') {
        out.push_str(&text[end..]);
    } else {
        out.truncate(out.trim_end().len());
    }
    let document = Document::parse(&out);
    let read = TasksDoc::read(&document);
    let is_read = read.tasks().map(|task| fold(task.title)).eq(steps.iter().map(|step| fold(&step.title)));
    is_read.then_some(out)
}

/// A step that stays, with its mark and notes, under another number and with what is new about it.
fn block(text: &str, task: &Task<'_>, step: &NewStep, number: Option<&str>) -> String {
    let span = whole_lines(text, task);
    let mut edits: Vec<(Span, String)> = new_detail(text, task, step).into_iter().collect();
    if let (Some(number), Some(old)) = (number, task.number)
        && let Some(at) = text[task.mark.end..task.line.end].find(old)
    {
        let start = task.mark.end + at;
        edits.insert(0, (start..start + old.len(), number.to_owned()));
    }
    let mut out = String::new();
    let mut from = span.start;
    for (edit, new) in edits {
        out.push_str(&text[from..edit.start]);
        out.push_str(&new);
        from = edit.end;
    }
    out.push_str(&text[from..span.end]);
    if !out.ends_with('\n') {
        out.push_str(line_end(text));
    }
    out
}

/// The edit that gives a kept step its new description and complexity, when they differ.
fn new_detail(text: &str, task: &Task<'_>, step: &NewStep) -> Option<(Span, String)> {
    let before = detail(text, task);
    let same = before.description == step.description.trim() && before.complexity == step.complexity;
    // A step that says nothing about itself leaves what a person wrote below it.
    if same || (step.description.trim().is_empty() && step.complexity.is_none()) {
        return None;
    }
    let indent = " ".repeat(task.content_indent);
    let mut new = detail_lines(step, &indent).trim_end().to_owned();
    if let Some(notes) = before.notes {
        new.push('\n');
        new.push_str(&notes_lines(&notes, &indent));
    }
    let span = task.line.end..task.end();
    Some((span, in_line_ends(text, &format!("\n{new}"))))
}

fn rewritten(
    text: &str,
    tasks: &TasksDoc<'_>,
    old: &[&Task<'_>],
    steps: &[NewStep],
    matched: &[Option<usize>],
) -> String {
    let start = tasks.groups.first().map_or(text.len(), |group| {
        group.heading.as_ref().map_or(group.tasks[0].line.start, |heading| heading.start)
    });
    let end = old.last().map_or(text.len(), |task| whole_lines(text, task).end);
    let title = tasks.groups.first().and_then(|group| group.title).unwrap_or("1. Steps");
    let mut lines = format!("## {title}\n\n");
    for (position, (step, found)) in steps.iter().zip(matched).enumerate() {
        let number = format!("1.{}", position + 1);
        let Some(task) = found.map(|at| old[at]) else {
            lines.push_str(&step_lines(step, &number, ' '));
            continue;
        };
        let before = detail(text, task);
        let says_nothing = step.description.trim().is_empty() && step.complexity.is_none();
        let step = if says_nothing {
            NewStep { description: before.description, complexity: before.complexity, ..step.clone() }
        } else {
            step.clone()
        };
        lines.push_str(&step_lines(&step, &number, if task.status == TaskStatus::Done { 'x' } else { ' ' }));
        if let Some(notes) = before.notes {
            lines.truncate(lines.trim_end().len());
            let _ = write!(lines, "\n{}\n", notes_lines(&notes, "  "));
        }
    }
    let head = &text[..start];
    let gap =
        if head.trim_matches('\u{feff}').is_empty() || head.ends_with("\n\n") || head.ends_with("\n\r\n") {
            ""
        } else if head.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
    let new = spliced(text, start..end, &in_line_ends(text, &format!("{gap}{lines}")));
    if TasksDoc::read(&Document::parse(&new)).tasks().count() == steps.len() {
        return new;
    }
    // Something above them, such as a fence that is never closed, hides the steps.
    let top = Document::parse(text).body_start();
    spliced(text, top..top, &in_line_ends(text, &format!("{lines}\n")))
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
fn notes_lines(notes: &str, indent: &str) -> String {
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

/// The group of the last numbered task and the highest number in it: 2 and 3 for `2.3`.
fn last_number(old: &[&Task<'_>]) -> (String, usize) {
    let group = old.iter().rev().find_map(|task| task.number?.split('.').next()).unwrap_or("1");
    let numbers = old.iter().filter_map(|task| {
        let (first, rest) = task.number?.split_once('.')?;
        rest.split('.').next()?.parse::<usize>().ok().filter(|_| first == group)
    });
    (group.to_owned(), numbers.max().unwrap_or(old.len()))
}

/// The line of a task and its body, with the line end.
fn whole_lines(text: &str, task: &Task<'_>) -> Span {
    let end = task.end();
    let rest = &text[end..];
    let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
    // Blanks at the end of the last line belong to it.
    let line = if rest[..line].trim().is_empty() { line } else { 0 };
    task.line.start..end + line
}

fn spliced(text: &str, span: Span, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}

fn line_end(text: &str) -> &'static str {
    EolStyle::of(text).as_str()
}

fn in_line_ends(text: &str, new: &str) -> String {
    EolStyle::of(text).applied_to(new)
}
