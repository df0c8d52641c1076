//! One checkbox line and the lines that belong to it.

use super::{Group, Task, TaskStatus};
use crate::document::Span;
use crate::outline::{Line, Outline, lines};

/// What the lines below a task say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    pub description: String,
    pub complexity: Option<String>,
    pub notes: Option<String>,
}

/// Reads a line such as `- [ ] 1.1 Do it`.
pub(super) fn task<'t>(line: &Line<'t>) -> Option<Task<'t>> {
    let inner = line.text.trim_start();
    let indent = line.text.len() - inner.len();
    let marker = marker_length(inner)?;
    let boxed = inner[marker..].trim_start();
    let content_indent = if boxed.len() == inner.len() - marker {
        indent + marker + 1
    } else {
        indent + inner.len() - boxed.len()
    };
    let inside = boxed.strip_prefix('[')?;
    let close = inside.find(']')?;
    let (mark, rest) = (&inside[..close], &inside[close + 1..]);
    let sign = mark.trim();
    let is_link = rest.starts_with(['(', '[']) && (mark.is_empty() || !sign.is_empty());
    if sign.chars().count() > 1 || is_link {
        return None;
    }
    let mark_start = line.start + line.text.len() - inside.len();
    let text = rest.trim();
    let number = task_number(text);
    Some(Task {
        index: 0,
        text,
        number,
        title: number.map_or(text, |number| text[number.len()..].trim_start()),
        status: if sign.eq_ignore_ascii_case("x") { TaskStatus::Done } else { TaskStatus::Open },
        mark: mark_start..mark_start + close,
        line: line.start..line.start + line.text.len(),
        body: line.next..line.next,
        indent,
        content_indent,
    })
}

/// A title without what a list has in front of it: `- [x] 1.2 Title`, `2. Title`.
pub fn bare_title(line: &str) -> &str {
    let line = Line { start: 0, text: line, next: line.len() };
    if let Some(task) = task(&line) {
        return task.title;
    }
    let text = line.text.trim();
    let marked = marker_length(text).map(|length| &text[length..]).filter(|rest| rest.starts_with(' '));
    let text = marked.unwrap_or(text).trim_start();
    let boxed = ["[ ]", "[x]", "[X]"].into_iter().find_map(|mark| text.strip_prefix(mark));
    let text = boxed.unwrap_or(text).trim_start();
    task_number(text).map_or(text, |number| text[number.len()..].trim_start())
}

/// Titles without boxes and numbers, where these count the list on behind the number it ends with; a title such as
/// `3.5 mm jack` keeps what it begins with.
pub fn uncounted<'t>(titles: &[&'t str], last: Option<&str>) -> Vec<&'t str> {
    let numbers = |front: &str| -> Vec<u64> {
        let digits = front.split(|ch: char| !ch.is_ascii_digit()).filter(|digits| !digits.is_empty());
        digits.filter_map(|digits| digits.parse().ok()).collect()
    };
    let mut before = last.map(numbers).unwrap_or_default();
    let mut bare = Vec::with_capacity(titles.len());
    for title in titles {
        let title = title.trim();
        let own = bare_title(title);
        let number = numbers(&title[..title.len() - own.len()]);
        let goes_on = match (before.first(), number.as_slice()) {
            (_, []) => own.len() < title.len(),
            (None, number) => number.iter().all(|part| *part <= 1),
            (Some(first), number) => number > before.as_slice() && number[0] <= first + 1,
        };
        if own.is_empty() || !goes_on {
            return titles.to_vec();
        }
        bare.push(own);
        if !number.is_empty() {
            before = number;
        }
    }
    bare
}

/// Gives every task the lines below it that are deeper or continue its sentence.
pub(super) fn attach_bodies(outline: &Outline<'_>, groups: &mut [Group<'_>]) {
    let starts: Vec<usize> =
        groups.iter().flat_map(|group| &group.tasks).map(|task| task.line.start).collect();
    for task in groups.iter_mut().flat_map(|group| &mut group.tasks) {
        let heading = outline.headings.partition_point(|heading| heading.span.start <= task.line.start);
        let next_heading = outline.headings.get(heading).map(|heading| heading.span.start);
        let next_task = starts.get(task.index + 1).copied();
        let end = [next_heading, next_task].into_iter().flatten().min().unwrap_or(outline.text.len());
        task.body = body(outline.text, task, end);
    }
}

/// The description, complexity and notes in the lines below a task.
pub fn detail(text: &str, task: &Task<'_>) -> Detail {
    let mut description: Vec<&str> = Vec::new();
    let mut complexity = None;
    let mut notes: Option<Vec<&str>> = None;
    let mut in_notes = false;
    for line in lines(text, task.body.clone()) {
        let inner = dedent(line.text, task.content_indent);
        if let Some(lines) = notes.as_mut().filter(|_| in_notes && !ends_notes(inner)) {
            lines.push(dedent(inner, 2));
        } else if let Some(value) = labelled(inner, "Complexity") {
            complexity = Some(value.to_owned());
            (notes, in_notes) = (None, false);
        } else if let Some(value) = labelled(inner, "Notes") {
            (notes, in_notes) = (Some(vec![value]), true);
        } else {
            in_notes = false;
            description.push(inner.trim_end());
        }
    }
    let paragraph = |lines: &[&str]| lines.join("\n").trim().to_owned();
    let notes = notes.map(|lines| paragraph(&lines)).filter(|notes| !notes.is_empty());
    Detail { description: paragraph(&description), complexity, notes }
}

/// All lines below a task but its notes.
pub(crate) fn lines_but_notes<'t>(text: &'t str, task: &Task<'_>) -> Vec<&'t str> {
    let mut in_notes = false;
    let said = lines(text, task.body.clone()).map(|line| dedent(line.text, task.content_indent));
    said.filter(|inner| {
        if !in_notes || ends_notes(inner) {
            in_notes = labelled(inner, "Notes").is_some();
        }
        !in_notes
    })
    .collect()
}

/// Where the notes of a task stand in its body.
pub(super) fn notes_span(text: &str, task: &Task<'_>) -> Option<Span> {
    let mut span: Option<Span> = None;
    for line in lines(text, task.body.clone()) {
        let inner = dedent(line.text, task.content_indent);
        let end = line.start + line.text.len();
        match &mut span {
            None if labelled(inner, "Notes").is_some() => span = Some(line.start..end),
            None => {}
            // Notes that stand twice are read from the second.
            Some(span) if labelled(inner, "Notes").is_some() && ends_notes(inner) => *span = line.start..end,
            Some(_) if ends_notes(inner) => break,
            Some(span) => span.end = end,
        }
    }
    span
}

fn body(text: &str, task: &Task<'_>, end: usize) -> Span {
    let start = task.body.start.min(end);
    let mut last = start;
    let mut after_blank = false;
    for line in lines(text, start..end) {
        let inner = line.text.trim_start();
        if inner.is_empty() {
            after_blank = true;
            continue;
        }
        let indent = line.text.len() - inner.len();
        let lazy =
            !after_blank && marker_length(inner).is_none() && !inner.starts_with(['#', '>', '`', '~', '<']);
        if indent <= task.indent && !lazy {
            break;
        }
        after_blank = false;
        last = line.start + line.text.trim_end().len();
    }
    start..last
}

/// Whether a line is no part of the notes before it. What is indented below them always is, whatever it begins with.
fn ends_notes(line: &str) -> bool {
    let is_label = labelled(line, "Notes").is_some() || labelled(line, "Complexity").is_some();
    !line.starts_with([' ', '\t']) && (is_label || says_what_it_proves(line))
}

/// Whether a line names what its task proves.
fn says_what_it_proves(line: &str) -> bool {
    let bare = line.trim_start_matches(['-', '*', '+', '_', ' ', '\t']);
    let names = |label: &str| bare.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label));
    names("proves:") || names("requirements:")
}

/// The value of `- **Label:** value`.
fn labelled<'t>(line: &'t str, label: &str) -> Option<&'t str> {
    let rest = line.trim().strip_prefix("- **")?.strip_prefix(label)?;
    rest.strip_prefix(":**").map(str::trim)
}

/// A line without at most so many blanks at its start.
fn dedent(line: &str, columns: usize) -> &str {
    let blanks = line.bytes().take(columns).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

/// The length of `-`, `*`, `+` or a number with its `.` or `)`.
fn marker_length(text: &str) -> Option<usize> {
    if text.starts_with(['-', '*', '+']) {
        return Some(1);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=9).contains(&digits) && text[digits..].starts_with(['.', ')'])).then_some(digits + 1)
}

/// `1.1` or `2.3.1b` before a blank or the end.
fn task_number(text: &str) -> Option<&str> {
    let number = text.split([' ', '\t']).next().filter(|number| !number.is_empty())?;
    let digits = number.trim_end_matches(|ch: char| ch.is_ascii_alphabetic());
    let parts = digits.split('.').collect::<Vec<_>>();
    let all_digits =
        parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    (parts.len() >= 2 && all_digits).then_some(number)
}
