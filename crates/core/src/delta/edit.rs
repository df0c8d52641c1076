//! Edits of a delta that leave everything else as it stands.

use super::{DeltaDoc, Operation};
use crate::document::{Document, EolStyle, Span};

/// Puts a requirement, removal or rename into the section of its kind: in the place of the one of its name, else at
/// the end. The same name in another section is taken out. `block` is its Markdown without a line end.
pub fn put(text: &str, operation: Operation, name: &str, block: &str) -> String {
    let block = EolStyle::of(text).applied_to(block.trim_end());
    let here: Vec<Entry> = entries(text).into_iter().filter(|entry| entry.name == name).collect();
    if let [only] = here.as_slice()
        && only.operation == operation
    {
        return format!("{}{block}{}", &text[..only.span.start], &text[only.span.end..]);
    }
    let text = take_out(text, name).unwrap_or_else(|| text.to_owned());
    append(&text, operation, &block)
}

/// Takes out everything that a delta says about a requirement; `None` when it says nothing.
pub fn take_out(text: &str, name: &str) -> Option<String> {
    let mut spans: Vec<Span> =
        entries(text).into_iter().filter(|entry| entry.name == name).map(|entry| entry.span).collect();
    if spans.is_empty() {
        return None;
    }
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let mut out = text.to_owned();
    for span in spans.into_iter().rev() {
        // The blank lines behind it go with it.
        let rest = &out[span.end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let next_line = out[span.end..span.end + blank].rfind('\n').map_or(blank, |at| at + 1);
        out.replace_range(span.start..span.end + next_line, "");
    }
    let out = without_empty_sections(&out);
    let end = out.trim_end().len();
    Some(if end == 0 { String::new() } else { format!("{}{}", &out[..end], EolStyle::of(text).as_str()) })
}

/// Sets the purpose that a new spec is to have.
pub fn set_purpose(text: &str, purpose: &str) -> String {
    let eol = EolStyle::of(text).as_str();
    let purpose = EolStyle::of(text).applied_to(purpose.trim());
    let document = Document::parse(text);
    if let Some(known) = DeltaDoc::read(&document).purpose {
        let body = &text[known.body.clone()];
        // A comment behind it is somebody's own, and stays.
        let own = body.find("<!--").unwrap_or(body.len());
        if body[..own].trim() == purpose {
            return text.to_owned();
        }
        let rest = &text[known.body.start + own..];
        let gap = if rest.is_empty() { "" } else { eol };
        format!("{}{eol}{purpose}{eol}{gap}{rest}", &text[..known.body.start])
    } else {
        let start = document.body_start();
        format!("{}## Purpose{eol}{eol}{purpose}{eol}{eol}{}", &text[..start], &text[start..])
    }
}

/// Something that a delta says about one requirement.
struct Entry {
    operation: Operation,
    name: String,
    span: Span,
}

fn entries(text: &str) -> Vec<Entry> {
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    let mut found = Vec::new();
    for (operation, blocks) in [(Operation::Added, &delta.added), (Operation::Modified, &delta.modified)] {
        found.extend(blocks.iter().map(|block| Entry {
            operation,
            name: block.name.to_owned(),
            span: block.span.clone(),
        }));
    }
    found.extend(delta.removed.iter().map(|removal| {
        let end = match removal.text {
            "" => removal.span.end,
            below => text[removal.span.end..]
                .find(below)
                .map_or(removal.span.end, |at| removal.span.end + at + below.len()),
        };
        Entry { operation: Operation::Removed, name: removal.name.to_owned(), span: removal.span.start..end }
    }));
    for rename in &delta.renamed {
        for name in [rename.from, rename.to] {
            let span = rename.span.clone();
            found.push(Entry { operation: Operation::Renamed, name: name.to_owned(), span });
        }
    }
    found
}

/// The text with a block at the end of the last section of its kind, or of a new one.
fn append(text: &str, operation: Operation, block: &str) -> String {
    let eol = EolStyle::of(text).as_str();
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    let section = delta.sections.iter().rev().find(|section| section.operation == operation);
    let (end, heading) = match section {
        Some(section) => (section.body.end, String::new()),
        None => (text.len(), format!("## {} Requirements{eol}{eol}", operation.as_str())),
    };
    let head = text[..end].trim_end();
    let gap = if head.trim_matches('\u{feff}').is_empty() { String::new() } else { eol.repeat(2) };
    let rest = text[end..].trim_start_matches(['\r', '\n']);
    let tail = if rest.is_empty() { String::new() } else { format!("{eol}{rest}") };
    format!("{head}{gap}{heading}{block}{eol}{tail}")
}

fn without_empty_sections(text: &str) -> String {
    let document = Document::parse(text);
    let mut out = text.to_owned();
    for section in DeltaDoc::read(&document).sections.iter().rev() {
        if text[section.body.clone()].trim().is_empty() {
            out.replace_range(section.heading.start..section.body.end, "");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DELTA: &str = "<!-- mine -->\n## ADDED Requirements\n\n### Requirement: A\n\nIt SHALL a.\n\n### Requirement: B\n\nIt SHALL b.\n\n## REMOVED Requirements\n\n### Requirement: C\n\n**Reason:** gone\n\n## RENAMED Requirements\n\n- FROM: `### Requirement: D`\n- TO: `### Requirement: E`\n";

    #[test]
    fn a_block_takes_the_place_of_the_one_of_its_name() {
        let put_a = put(DELTA, Operation::Added, "A", "### Requirement: A\n\nIt SHALL x.");
        assert_eq!(put_a, DELTA.replace("SHALL a.", "SHALL x."));
        let new = put(DELTA, Operation::Added, "Z", "### Requirement: Z\n\nIt SHALL z.");
        assert_eq!(new, DELTA.replace("SHALL b.\n", "SHALL b.\n\n### Requirement: Z\n\nIt SHALL z.\n"));
        let moved = put(DELTA, Operation::Modified, "A", "### Requirement: A\n\nIt SHALL x.");
        assert!(moved.ends_with("- TO: `### Requirement: E`\n\n## MODIFIED Requirements\n\n### Requirement: A\n\nIt SHALL x.\n"), "{moved}");
        assert_eq!(
            put("", Operation::Added, "A", "### Requirement: A"),
            "## ADDED Requirements\n\n### Requirement: A\n"
        );
    }

    #[test]
    fn what_is_taken_out_takes_its_empty_section_along() {
        let without = take_out(DELTA, "C").unwrap();
        assert!(!without.contains("REMOVED") && !without.contains("gone"), "{without}");
        let without = take_out(&without, "D").unwrap();
        assert!(without.ends_with("It SHALL b.\n"), "{without}");
        assert_eq!(take_out(DELTA, "F"), None);
    }

    #[test]
    fn a_purpose_is_set_once() {
        let once = set_purpose(DELTA, "Because.");
        assert_eq!(set_purpose(&once, "Because."), once);
        let other = set_purpose(&once, "Why not.");
        assert!(other.contains("## Purpose\n\nWhy not.\n\n") && !other.contains("Because."), "{other}");
    }

    proptest! {
        #[test]
        fn putting_what_is_there_changes_no_byte(pick in 0usize..2) {
            let document = Document::parse(DELTA);
            let delta = DeltaDoc::read(&document);
            let block = &delta.added[pick];
            prop_assert_eq!(put(DELTA, Operation::Added, block.name, block.raw), DELTA);
        }
    }
}
