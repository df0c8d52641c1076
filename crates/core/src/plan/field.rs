//! The bullets under a step that say how it stands: complexity, status and notes.

use super::{Complexity, StepStatus, text};
use crate::document::{Block, Document, Marker, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Complexity,
    Status,
    Notes,
}

/// One such bullet and its place.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) label: Label,
    /// From the start of its line to the end of what belongs to it, without the last line end. A status and a
    /// complexity own one line; what hangs on it belongs to the description.
    pub(super) span: Span,
    /// What follows the label.
    pub(super) value: Span,
    /// What stands before the label: indentation, marker and blanks.
    pub(super) lead: String,
}

impl Label {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Complexity => "Complexity",
            Self::Status => "Status",
            Self::Notes => "Notes",
        }
    }
}

/// The fields among the blocks of a step, the first of each kind.
pub(super) fn fields(document: &Document<'_>, blocks: &[Block<'_>]) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for block in blocks.iter().filter(|block| block.nesting == 0) {
        let Some(item) = block.item().filter(|item| matches!(item.marker, Marker::Bullet(_))) else {
            continue;
        };
        let content = document.slice(block.content.clone());
        let Some((label, emphasis, length)) = label(content) else { continue };
        if item.task.is_some() || fields.iter().any(|field| field.label == label) {
            continue;
        }
        let text = document.text();
        let value_start = block.content.start + length;
        let line_end = text[value_start..block.span.end]
            .find(['\n', '\r'])
            .map_or(block.span.end, |at| value_start + at);
        let end = if label == Label::Notes { block.span.end } else { line_end };
        let field = Field {
            label,
            span: block.span.start..end,
            value: value_start..end,
            lead: lead(&text[block.span.start..block.content.start]),
        };
        // A plain `Status: …` may be part of a description; its value tells.
        let is_meant = match label {
            _ if emphasis == Emphasis::Marked => true,
            Label::Complexity => complexity(document.slice(field.value.clone())).is_some(),
            Label::Status => status(document.slice(field.value.clone())).is_some(),
            Label::Notes => !fields.is_empty(),
        };
        if is_meant {
            fields.push(field);
        }
    }
    fields
}

/// What new bullets beside this one begin with.
fn lead(before: &str) -> String {
    // A marker alone on its line is followed by a line end, not by blanks.
    if before.contains(['\n', '\r']) { "- ".to_owned() } else { before.to_owned() }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Emphasis {
    Marked,
    Plain,
}

/// The label that a bullet begins with, and its length: `**Status:**`, `**Status**:`, `Status:`.
fn label(content: &str) -> Option<(Label, Emphasis, usize)> {
    let mark = ["**", "__", "*", "_"].into_iter().find(|mark| content.starts_with(mark)).unwrap_or("");
    let rest = &content[mark.len()..];
    let label = [Label::Complexity, Label::Status, Label::Notes].into_iter().find(|label| {
        rest.get(..label.name().len()).is_some_and(|name| name.eq_ignore_ascii_case(label.name()))
    })?;
    let rest = &rest[label.name().len()..];
    let closed =
        [format!(":{mark}"), format!("{mark}:")].into_iter().find(|end| rest.starts_with(end.as_str()))?;
    let length = mark.len() + label.name().len() + closed.len();
    Some((label, if mark.is_empty() { Emphasis::Plain } else { Emphasis::Marked }, length))
}

/// The status that a person may have written in one of several ways.
pub(super) fn status(value: &str) -> Option<StepStatus> {
    match folded(value).as_str() {
        "done" => Some(StepStatus::Completed),
        name => StepStatus::ALL.into_iter().find(|status| folded(status.as_str()) == name),
    }
}

pub(super) fn complexity(value: &str) -> Option<Complexity> {
    let name = folded(value);
    Complexity::ALL.into_iter().find(|complexity| complexity.as_str() == name)
}

/// The letters of a value: `In-Progress` and `in_progress` are the same, and so are `completed` and `✅ completed.`.
fn folded(value: &str) -> String {
    value.chars().filter(|ch| ch.is_alphanumeric()).map(|ch| ch.to_ascii_lowercase()).collect()
}

/// The text of a note, without the indentation that keeps it in its bullet.
pub(super) fn note(document: &Document<'_>, field: &Field) -> String {
    let lines = document.slice(field.value.clone());
    let width = field.lead.chars().count();
    let mut out = String::with_capacity(lines.len());
    for (index, line) in lines.split_inclusive('\n').enumerate() {
        // The first line stands behind the label, with one blank between them.
        out.push_str(if index == 0 {
            line.strip_prefix(' ').unwrap_or(line)
        } else {
            outdented(line, width)
        });
    }
    text::read(&out)
}

fn outdented(line: &str, width: usize) -> &str {
    let blanks = line.bytes().take(width).take_while(|byte| *byte == b' ').count();
    let rest = &line[blanks..];
    if blanks < width { rest.strip_prefix('\t').unwrap_or(rest) } else { rest }
}
