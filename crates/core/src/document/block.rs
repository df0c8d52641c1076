//! The parts of a document: blocks, each with the bytes it covers.

use std::borrow::Cow;

use super::Span;

/// One block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'t> {
    pub kind: BlockKind<'t>,
    /// The whole block. It begins at the start of its line when only blanks stand before it, and ends before the
    /// last line end. A list item and a quote include everything inside them.
    pub span: Span,
    /// What the block says: the text of a heading, the first paragraph of a list item without marker and task mark,
    /// the lines inside a code fence. The same as `span`, without leading blanks, for the other kinds.
    pub content: Span,
    /// How many list items and quotes the block is in.
    pub nesting: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind<'t> {
    Heading(Heading<'t>),
    /// A paragraph. The first one of a list item is the item's content and no block of its own.
    Paragraph,
    Item(Item),
    Code(CodeStyle),
    /// An HTML block or comment.
    Html,
    Quote,
    /// A paragraph whose second line is a table's delimiter row.
    Table,
    /// A thematic break.
    Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading<'t> {
    /// 1 to 6.
    pub level: u8,
    pub style: HeadingStyle,
    /// The text as it stands in the source, trimmed, without marks; a setext heading may hold several lines.
    pub raw: &'t str,
    /// The text without inline markup, on one line.
    pub title: Cow<'t, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadingStyle {
    /// `## Title`
    Atx,
    /// A title underlined with `===` or `---`.
    Setext,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// How many list items this one is in.
    pub depth: usize,
    pub marker: Marker,
    /// The character between the brackets of `- [x] text`, a blank for an open task.
    pub task: Option<char>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// `-`, `*` or `+`.
    Bullet(char),
    /// A number and its `.` or `)`.
    Ordered { number: u64, delimiter: char },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeStyle {
    Fenced,
    Indented,
}

impl<'t> Block<'t> {
    /// The heading, when this block is one and stands outside quotes and lists.
    pub fn structural_heading(&self) -> Option<&Heading<'t>> {
        match &self.kind {
            BlockKind::Heading(heading) if self.nesting == 0 => Some(heading),
            _ => None,
        }
    }

    /// The list item, when this block is one.
    pub fn item(&self) -> Option<&Item> {
        match &self.kind {
            BlockKind::Item(item) => Some(item),
            _ => None,
        }
    }
}

impl Heading<'_> {
    /// Whether the title is this one; ASCII letters match in either case.
    pub fn is(&self, title: &str) -> bool {
        self.title.eq_ignore_ascii_case(title)
    }
}
