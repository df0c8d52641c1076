//! Lists of one-line entries, which are most of what the documents consist of.

use std::fmt::Write as _;

use crate::decision::text::{escape, unescape};
use crate::document::{Block, Document, Section};

/// What stands in a section without entries.
pub(super) const NONE: &str = "_None_";

/// A bullet list of texts, each with this mark in front (`""`, or `"[ ] "`). Ends with a line end.
pub(super) fn bullets<'a>(mark: &str, texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for text in texts {
        let _ = writeln!(out, "- {mark}{}", escape(text));
    }
    if out.is_empty() { format!("{NONE}\n") } else { out }
}

/// The entries of a section, as they stand in the source.
pub(super) fn raw_entries<'d, 't>(
    document: &'d Document<'t>,
    section: Section<'d, 't>,
) -> impl Iterator<Item = (&'d Block<'t>, String)> {
    let items = section.intro_blocks().iter().filter(|block| block.nesting == 0 && block.item().is_some());
    items.map(|block| (block, document.joined(block.content.clone()).into_owned()))
}

/// The entries of a section, or none when there is no such section.
pub(super) fn entries(document: &Document<'_>, section: Option<Section<'_, '_>>) -> Vec<String> {
    section.map_or_else(Vec::new, |section| {
        let items =
            section.intro_blocks().iter().filter(|block| block.nesting == 0 && block.item().is_some());
        items.map(|block| unescape(&document.joined(block.content.clone()))).collect()
    })
}

/// `- Name: value` entries.
pub(super) fn pairs(document: &Document<'_>, section: Option<Section<'_, '_>>) -> Vec<(String, String)> {
    let split = |entry: String| match entry.split_once(": ") {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (String::new(), entry),
    };
    entries(document, section).into_iter().map(split).collect()
}
