//! The task list of a change: groups, checkboxes and how far they are.
//!
//! `tasks.md` is a person's file that also serves as the plan of a change. Reading takes every checkbox outside code
//! and comments, with `-`, `*`, `+` or a number before it and any one character in it; only `x` counts as done.
//! Edits ([`edit`]) touch the item they are about and nothing else.

pub mod edit;
mod item;
mod render;
mod replace;
mod tree;

pub(crate) use item::lines_but_notes;
pub use item::{Detail, bare_title, detail, uncounted};
pub use render::{NewGroup, NewStep, NewTasks, PLACEHOLDER, render};
pub use replace::{Replaced, replace_steps};

use crate::document::{Document, Span};
use crate::outline::{Line, Outline, lines};

/// A task list as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TasksDoc<'t> {
    /// What stands before the first group or task, without the title: for a plan, its approach.
    pub intro: Span,
    /// The groups that hold tasks, in their order.
    pub groups: Vec<Group<'t>>,
}

/// Tasks below one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<'t> {
    /// The heading, with its number if it has one; `None` for tasks above the first heading.
    pub title: Option<&'t str>,
    /// `1` in `## 1. Preparation`.
    pub number: Option<&'t str>,
    pub heading: Option<Span>,
    pub tasks: Vec<Task<'t>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task<'t> {
    /// Counted over the whole list, from 0.
    pub index: usize,
    /// The line behind the checkbox, its number included.
    pub text: &'t str,
    /// `1.1` in `- [ ] 1.1 Do it`.
    pub number: Option<&'t str>,
    /// The text without its number.
    pub title: &'t str,
    pub status: TaskStatus,
    /// What stands between the brackets.
    pub mark: Span,
    /// The line of the checkbox without its line end.
    pub line: Span,
    /// Wrapped and deeper lines that belong to the task, without trailing blank ones; empty when there are none.
    pub body: Span,
    /// Columns before the marker and before the text behind it.
    pub(crate) indent: usize,
    pub(crate) content_indent: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    Open,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub completed: usize,
    pub total: usize,
}

impl<'t> TasksDoc<'t> {
    pub fn read(document: &Document<'t>) -> Self {
        Self::from_outline(&Outline::read(document), document.body_start())
    }

    fn from_outline(outline: &Outline<'t>, start: usize) -> Self {
        let mut groups: Vec<Group<'t>> = Vec::new();
        let mut headings = outline.headings.iter().filter(|heading| heading.level >= 2).peekable();
        let mut current = Group { title: None, number: None, heading: None, tasks: Vec::new() };
        let mut index = 0;
        for line in outline.prose(start..outline.text.len()) {
            while let Some(heading) = headings.next_if(|heading| heading.span.start <= line.start) {
                let next = Group {
                    title: Some(heading.name()),
                    number: group_number(heading.name()),
                    heading: Some(heading.span.clone()),
                    tasks: Vec::new(),
                };
                groups.push(std::mem::replace(&mut current, next));
            }
            if let Some(mut task) = item::task(&line) {
                task.index = index;
                index += 1;
                current.tasks.push(task);
            }
        }
        groups.push(current);
        let intro = intro(outline, start, &groups);
        groups.retain(|group| !group.tasks.is_empty());
        item::attach_bodies(outline, &mut groups);
        Self { intro, groups }
    }

    pub fn tasks(&self) -> impl Iterator<Item = &Task<'t>> {
        self.groups.iter().flat_map(|group| &group.tasks)
    }

    pub fn progress(&self) -> Progress {
        let completed = self.tasks().filter(|task| task.status == TaskStatus::Done).count();
        Progress { completed, total: self.tasks().count() }
    }
}

impl Task<'_> {
    /// Where the last line of the task ends.
    pub fn end(&self) -> usize {
        if self.body.is_empty() { self.line.end } else { self.body.end }
    }
}

/// The text between the title and the first group or task.
fn intro(outline: &Outline<'_>, start: usize, groups: &[Group<'_>]) -> Span {
    let title = outline.headings.first().filter(|heading| heading.level == 1);
    let start = title.map_or(start, |heading| heading.span.end);
    let first_task = groups.iter().flat_map(|group| &group.tasks).map(|task| task.line.start).next();
    let first_group =
        outline.headings.iter().find(|heading| heading.level >= 2).map(|heading| heading.span.start);
    let end = [first_task, first_group].into_iter().flatten().min().unwrap_or(outline.text.len());
    let slice = &outline.text[start.min(end)..end];
    let start = end - slice.trim_start().len();
    start..start + outline.text[start..end].trim_end().len()
}

/// The digits before the dot of `1. Name`.
fn group_number(title: &str) -> Option<&str> {
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let rest = title[digits..].strip_prefix('.')?;
    (digits > 0 && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| &title[..digits])
}

/// The line of a checkbox in a text, for callers that look at one line only.
pub(crate) fn task_in(line: &str) -> Option<Task<'_>> {
    lines(line, 0..line.len()).next().and_then(|line: Line<'_>| item::task(&line))
}

#[cfg(test)]
mod replace_tests;
#[cfg(test)]
mod tests;
