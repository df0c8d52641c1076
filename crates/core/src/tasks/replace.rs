//! A task list that is to hold other steps: what stays keeps its line, mark and notes, and all else stands where it stood.

use std::collections::HashMap;
use std::fmt::Write;

use super::edit::{in_line_ends, line_end, notes_lines, spliced, whole_lines};
use super::render::{NewStep, detail_lines, step_lines};
use super::tree::{Numbers, Tree, following};
use super::{Task, TaskStatus, TasksDoc, detail};
use crate::document::{Document, Span};
use crate::near::fold;

/// What [`replace_steps`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replaced {
    pub text: String,
    /// Titles of the steps that kept their mark and notes.
    pub kept: Vec<String>,
    /// Titles of the steps that are gone.
    pub dropped: Vec<String>,
}

/// Makes the list hold exactly these steps. A step whose title is already there keeps its line, mark and notes, in
/// its place; others are inserted behind the step before them, below the same task as the one that follows. When the order
/// of what stays has changed, the steps change places with what is nested below them, and all that stands between them
/// stays.
pub fn replace_steps(text: &str, steps: &[NewStep]) -> Replaced {
    let document = Document::parse(text);
    let tasks = TasksDoc::read(&document);
    let tree = Tree::of(&tasks);
    let old = &tree.tasks;
    let mut free: Vec<bool> = vec![true; old.len()];
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, task) in old.iter().enumerate().rev() {
        places.entry(fold(task.title)).or_default().push(at);
    }
    let matched: Vec<Option<usize>> = steps
        .iter()
        .map(|step| {
            let found = places.get_mut(&fold(&step.title))?.pop()?;
            free[found] = false;
            Some(found)
        })
        .collect();
    let kept = matched.iter().flatten().map(|&at| old[at].title.to_owned()).collect();
    let dropped = (0..old.len()).filter(|&at| free[at]).map(|at| old[at].title.to_owned()).collect();
    let in_order = matched.iter().flatten().is_sorted();
    let edited = if in_order && !old.is_empty() {
        let patched = |inserted| patched(text, &tree, steps, &matched, inserted);
        [Inserted::AsTheNext, Inserted::OnTop].into_iter().map(patched).find(|new| is_read(new, steps))
    } else {
        exchanged(text, &tree, steps, &matched).filter(|new| keeps_prose(text, old, new))
    };
    let text = edited.unwrap_or_else(|| rewritten(text, &tasks, old, steps, &matched));
    Replaced { text, kept, dropped }
}

/// Where a new step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inserted {
    /// Below the task that the next step is below.
    AsTheNext,
    /// Below none.
    OnTop,
}

fn patched(
    text: &str,
    tree: &Tree<'_, '_>,
    steps: &[NewStep],
    matched: &[Option<usize>],
    inserted: Inserted,
) -> String {
    let old = &tree.tasks;
    let mut edits: Vec<(Span, String)> = Vec::new();
    let mut is_kept = vec![false; old.len()];
    matched.iter().flatten().for_each(|&at| is_kept[at] = true);
    for (task, _) in old.iter().zip(&is_kept).filter(|(_, is_kept)| !**is_kept) {
        edits.push((whole_lines(text, task), String::new()));
    }
    let mut anchor = old[0].line.start;
    let mut last = None;
    // Numbers of other people's tasks stay; a new one takes the next of its siblings.
    let mut numbers = Numbers::default();
    for ((step, found), next) in steps.iter().zip(matched).zip(following(matched)) {
        if let Some(at) = *found {
            anchor = whole_lines(text, old[at]).end;
            last = Some(at);
            edits.extend(new_detail(text, old[at], step));
            continue;
        }
        let sibling = next.filter(|&next| {
            let parent = tree.parents[next];
            inserted == Inserted::AsTheNext && last.is_some() && parent.is_some_and(|parent| is_kept[parent])
        });
        let (number, indent) = match sibling {
            Some(next) => (numbers.below(tree, next), old[next].indent),
            None => (numbers.on_top(tree, last.or(next)), 0),
        };
        let lines = in_line_ends(text, &at_indent(&step_lines(step, &number, ' '), indent));
        let opens = anchor > 0 && !text[..anchor].ends_with('\n');
        let gap = if opens { line_end(text) } else { "" };
        edits.push((anchor..anchor, format!("{gap}{lines}")));
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

/// Puts the steps into the places of the old ones, one after the other, each with what is nested below it; what is over
/// comes behind the last. `None` when the result would not be read as these steps.
fn exchanged(
    text: &str,
    tree: &Tree<'_, '_>,
    steps: &[NewStep],
    matched: &[Option<usize>],
) -> Option<String> {
    let old = &tree.tasks;
    let places: Vec<Span> = tree
        .units
        .iter()
        .map(|unit| whole_lines(text, old[unit.start]).start..whole_lines(text, old[unit.end - 1]).end)
        .collect();
    let end = places.last()?.end;
    let order = tree.ordered(matched);
    let mut units: Vec<String> = Vec::new();
    for ((step, found), node) in steps.iter().zip(matched).zip(&order) {
        let block = match *found {
            Some(at) => {
                let number = Some(node.number.as_str())
                    .filter(|number| !number.is_empty() && old[at].number.is_some());
                let tail = match old.get(at + 1) {
                    Some(next) if tree.parents[at + 1].is_some() => {
                        text.get(whole_lines(text, old[at]).end..next.line.start).unwrap_or_default()
                    }
                    _ => "",
                };
                format!("{}{tail}", block(text, old[at], step, number))
            }
            None => in_line_ends(text, &at_indent(&step_lines(step, &node.number, ' '), node.indent)),
        };
        match units.last_mut() {
            Some(unit) if node.is_nested => unit.push_str(&block),
            _ => units.push(block),
        }
    }
    let mut units = units.into_iter();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        out.push_str(text.get(from..place.start)?);
        out.push_str(&units.next().unwrap_or_default());
        from = place.end;
    }
    units.for_each(|unit| out.push_str(&unit));
    if !text[end..].is_empty() || text.ends_with('\n') {
        out.push_str(&text[end..]);
    } else {
        out.truncate(out.trim_end().len());
    }
    is_read(&out, steps).then_some(out)
}

/// Whether a list reads as these steps, in this order.
fn is_read(text: &str, steps: &[NewStep]) -> bool {
    let document = Document::parse(text);
    let read = TasksDoc::read(&document);
    read.tasks().map(|task| fold(task.title)).eq(steps.iter().map(|step| fold(&step.title)))
}

/// What stands between the tasks and belongs to none of them, line by line.
fn prose_between<'t>(text: &'t str, range: Span, tasks: &[&Task<'_>]) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let mut from = range.start;
    let places = tasks.iter().map(|task| whole_lines(text, task));
    for place in places.chain(std::iter::once(range.end..range.end)) {
        if place.start > from {
            lines.extend(text.get(from..place.start).unwrap_or_default().lines());
        }
        from = from.max(place.end);
    }
    lines
}

/// Whether every line that belongs to no task is in the new text as well.
fn keeps_prose(text: &str, tasks: &[&Task<'_>], new: &str) -> bool {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in new.lines() {
        *left.entry(line.trim()).or_default() += 1;
    }
    let prose = prose_between(text, 0..text.len(), tasks);
    prose.into_iter().map(str::trim).filter(|line| !line.is_empty()).all(|line| match left.get_mut(line) {
        Some(count @ 1..) => {
            *count -= 1;
            true
        }
        _ => false,
    })
}

/// Lines that stand deeper.
fn at_indent(lines: &str, indent: usize) -> String {
    if indent == 0 {
        return lines.to_owned();
    }
    let blanks = " ".repeat(indent);
    let deeper =
        |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("{blanks}{line}") };
    lines.split_inclusive('\n').map(deeper).collect()
}

/// Lines that stood below a task, as far to the left as the first of them.
fn without_indent(lines: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let least = lines.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.lines().map(|line| line.get(least..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
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

/// One list of all steps in place of the old ones, where they cannot keep their places; what stood between those comes behind it.
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
    let first = tasks.groups.first().and_then(|group| group.heading.as_ref());
    let between = prose_between(text, first.map_or(start, |heading| heading.end)..end, old);
    let prose = between.join("\n");
    if !prose.trim().is_empty() {
        let _ = write!(lines, "\n{}\n", without_indent(prose.trim_matches('\n')));
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
