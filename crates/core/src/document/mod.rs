//! The one reading of a Markdown text: front matter, blocks with byte spans, and the tree of its sections.
//!
//! [`Document::parse`] never fails. It knows CommonMark (fences, indented code, HTML blocks, setext headings, BOM,
//! CRLF) and nothing of requirements, plans or tasks: those readers stand on this tree and share its verdicts (D-10).
//! [`head`] reads only the top of a text, with the same result. Every span counts bytes of the text as it was given.

mod block;
pub mod front_matter;
mod head;
mod lines;
mod plain;
mod reader;
mod section;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

pub use block::{Block, BlockKind, CodeStyle, Heading, HeadingStyle, Item, Marker};
pub(crate) use front_matter::find as opening;
pub use front_matter::{EditError, FrontMatter, FrontMatterBlock};
pub(crate) use head::first_heading;
pub use head::{Head, head};
pub use lines::{EolStyle, line_of};
pub use section::Section;

use crate::diagnostic::Diagnostic;
use lines::LineIndex;
use section::SectionNode;

/// Bytes of a text.
pub type Span = Range<usize>;

/// A text and what stands where in it.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    front_matter: Option<FrontMatterBlock>,
    body_start: usize,
    blocks: Vec<Block<'t>>,
    sections: Vec<SectionNode>,
    diagnostics: Vec<Diagnostic>,
    lines: OnceLock<LineIndex>,
}

impl<'t> Document<'t> {
    /// Reads a text. Whatever the text is, there is a document.
    pub fn parse(text: &'t str) -> Self {
        let opening = opening(text);
        let blocks = reader::read_blocks(text, opening.body_start);
        let sections = section::build(&blocks, text.len());
        Self {
            text,
            front_matter: opening.block,
            body_start: opening.body_start,
            blocks,
            sections,
            diagnostics: opening.diagnostics,
            lines: OnceLock::new(),
        }
    }

    /// The text this document was read from.
    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn slice(&self, span: Span) -> &'t str {
        &self.text[span]
    }

    /// The lines of a span, each trimmed, blank ones dropped, joined by one blank: how a wrapped sentence reads.
    pub fn joined(&self, span: Span) -> Cow<'t, str> {
        let text = self.text[span].trim();
        if !text.contains(['\n', '\r']) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(line);
        }
        Cow::Owned(out)
    }

    /// The 1-based line of a byte.
    pub fn line_of(&self, offset: usize) -> usize {
        self.lines.get_or_init(|| LineIndex::new(self.text)).line_of(offset)
    }

    /// The front matter, when the text opens with one that is closed.
    pub fn front_matter(&self) -> Option<&FrontMatterBlock> {
        self.front_matter.as_ref()
    }

    /// Where the Markdown begins: after the BOM and the front matter.
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// All blocks in the order in which they begin; a container stands before what it contains.
    pub fn blocks(&self) -> &[Block<'t>] {
        &self.blocks
    }

    /// The blocks that begin within a span.
    pub fn blocks_in(&self, span: Span) -> &[Block<'t>] {
        let first = self.blocks.partition_point(|block| block.span.start < span.start);
        let end = self.blocks.partition_point(|block| block.span.start < span.end);
        &self.blocks[first..end.max(first)]
    }

    /// The headings that structure the document: those outside quotes and lists.
    pub fn headings(&self) -> impl Iterator<Item = (&Block<'t>, &Heading<'t>)> {
        self.blocks.iter().filter_map(|block| block.structural_heading().map(|heading| (block, heading)))
    }

    /// All sections in document order, each before its children.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_, 't>> {
        (0..self.sections.len()).map(|index| Section::new(self, index))
    }

    /// The sections that are in no other section.
    pub(crate) fn top_sections(&self) -> impl Iterator<Item = Section<'_, 't>> {
        Section::siblings(self, 0, self.sections.len())
    }

    /// The first section with this level and title; ASCII letters match in either case.
    pub fn section(&self, level: u8, title: &str) -> Option<Section<'_, 't>> {
        self.sections().find(|section| section.is(level, title))
    }

    /// What is wrong with the text as a document.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    pub(in crate::document) fn nodes(&self) -> &[SectionNode] {
        &self.sections
    }
}

#[cfg(test)]
mod tests;
