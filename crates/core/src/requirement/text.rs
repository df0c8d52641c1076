//! The prose of a section: its lines without code and comments.

use std::borrow::Cow;

use crate::document::Span;
use crate::outline::{Outline, is_blank};

/// The lines of a span that are prose, trimmed, on one line.
pub(super) fn joined<'t>(outline: &Outline<'t>, span: Span) -> Cow<'t, str> {
    join(outline.prose(span).map(|line| line.text.trim()).filter(|line| !line.is_empty()))
}

/// What a requirement demands. Lines such as `**Priority**: high` are facts about it, unless there is nothing else.
pub(super) fn statement<'t>(outline: &Outline<'t>, body: Span) -> Cow<'t, str> {
    let lines = || outline.prose(body.clone()).map(|line| line.text.trim_matches(is_blank));
    let said = join(lines().filter(|line| !line.is_empty() && !is_fact(line)));
    if said.is_empty() { join(lines().filter(|line| !line.is_empty())) } else { said }
}

/// The start of the line after the one that holds `offset`.
pub(super) fn after_line(text: &str, offset: usize) -> usize {
    let Some(at) = text[offset..].find(['\n', '\r']).map(|at| offset + at) else { return text.len() };
    if text[at..].starts_with("\r\n") { at + 2 } else { at + 1 }
}

/// A span without the blanks at its end.
pub(super) fn trimmed_end(text: &str, span: Span) -> Span {
    span.start..span.start + text[span].trim_end().len()
}

fn join<'t>(mut lines: impl Iterator<Item = &'t str>) -> Cow<'t, str> {
    let Some(first) = lines.next() else { return Cow::Borrowed("") };
    let Some(second) = lines.next() else { return Cow::Borrowed(first) };
    let mut out = format!("{first} {second}");
    for line in lines {
        out.push(' ');
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// `**Key**: value`
fn is_fact(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("**") else { return false };
    let Some(end) = rest.find('*').filter(|end| *end > 0) else { return false };
    rest[end..].starts_with("**:")
}
