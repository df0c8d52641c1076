//! The snapshot inside a document: `### Category`, then `- **Field**: value (ADR <uid>)`.
//!
//! What stands in a category and is no such line is an error with its line: a field that is silently skipped would
//! be lost in the next decision.

use std::fmt::Write as _;

use super::Malformed;
use super::lists::NONE;
use crate::decision::architecture::{Decided, Snapshot};
use crate::decision::catalogue::field_name;
use crate::decision::text::{escape, unescape};
use crate::decision::uid::Uid;
use crate::document::{Block, BlockKind, Document, Section};

/// The categories, each followed by a blank line.
pub(super) fn render(snapshot: &Snapshot) -> String {
    if snapshot.is_empty() {
        return format!("{NONE}\n");
    }
    let mut out = String::new();
    for (category, fields) in snapshot.categories() {
        let _ = write!(out, "### {category}\n\n");
        for (field, decided) in fields {
            let _ = writeln!(out, "- **{field}**: {}", entry(decided));
        }
        out.push('\n');
    }
    out
}

/// `value (ADR <uid>)`.
pub(super) fn entry(decided: &Decided) -> String {
    match &decided.by {
        Some(uid) => format!("{} (ADR {uid})", escape(&decided.value)),
        None => escape(&decided.value),
    }
}

/// Reads the categories below a section.
pub(super) fn read(document: &Document<'_>, section: Section<'_, '_>) -> Result<Snapshot, Malformed> {
    let mut snapshot = Snapshot::default();
    for category in section.children() {
        if category.level() != 3 {
            continue;
        }
        let name = field_name(category.title());
        for block in category.blocks().iter().filter(|block| block.nesting == 0) {
            let Some((field, decided)) = read_line(document, block)? else { continue };
            snapshot.set(&name, &field, decided);
        }
    }
    Ok(snapshot)
}

fn read_line(document: &Document<'_>, block: &Block<'_>) -> Result<Option<(String, Decided)>, Malformed> {
    let line = document.line_of(block.span.start);
    let text = match &block.kind {
        BlockKind::Item(_) => document.joined(block.content.clone()),
        BlockKind::Rule => return Ok(None),
        _ => {
            let text = document.joined(block.span.clone());
            // The banners between the parts of a record, and a category without fields.
            let harmless = text == NONE || text.starts_with(['━', '=']) || text.starts_with("PART ");
            return if harmless { Ok(None) } else { Err(no_field(line, &text)) };
        }
    };
    let field_and_value = text.strip_prefix("**").and_then(|rest| {
        let (field, value) = rest.split_once("**")?;
        let value = value.strip_prefix(':').or(field.ends_with(':').then_some(value))?;
        Some((field.trim_end_matches(':'), value.trim()))
    });
    match field_and_value {
        Some((field, value)) => Ok(Some((field_name(field), read_entry(value)))),
        None => Err(no_field(line, &text)),
    }
}

fn read_entry(text: &str) -> Decided {
    let referred = text.strip_suffix(')').and_then(|open| {
        let (value, uid) = open.rsplit_once(" (ADR ")?;
        Some((value, Uid::parse(uid).ok()?))
    });
    match referred {
        Some((value, uid)) => Decided { value: unescape(value), by: Some(uid) },
        None => Decided { value: unescape(text), by: None },
    }
}

fn no_field(line: usize, text: &str) -> Malformed {
    let shown: String = text.chars().take(60).collect();
    Malformed::new(line, format!("expected `- **Field**: value`, found `{shown}`"))
}
