//! The tree that the headings outside quotes and lists make of a document.

use super::{Block, Document, Heading, Span};

/// A section as it is stored: the sections of a document stand in one list, each before its children.
#[derive(Debug)]
pub(super) struct SectionNode {
    /// Index of the heading among the blocks.
    block: usize,
    level: u8,
    end: usize,
    /// Index of the first section after this one that is not inside it.
    next: usize,
}

pub(super) fn build(blocks: &[Block<'_>], text_end: usize) -> Vec<SectionNode> {
    let mut nodes: Vec<SectionNode> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let Some(heading) = block.structural_heading() else { continue };
        while let Some(&last) = open.last() {
            if nodes[last].level < heading.level {
                break;
            }
            nodes[last].end = block.span.start;
            nodes[last].next = nodes.len();
            open.pop();
        }
        open.push(nodes.len());
        nodes.push(SectionNode { block: index, level: heading.level, end: text_end, next: 0 });
    }
    let count = nodes.len();
    for index in open {
        nodes[index].next = count;
    }
    nodes
}

/// A heading and everything up to the next heading of the same or a higher rank.
#[derive(Debug, Clone, Copy)]
pub struct Section<'d, 't> {
    document: &'d Document<'t>,
    index: usize,
}

impl<'d, 't> Section<'d, 't> {
    pub(super) fn new(document: &'d Document<'t>, index: usize) -> Self {
        Self { document, index }
    }

    /// The sections from `first` up to `end`, each skipping its own children.
    pub(super) fn siblings(
        document: &'d Document<'t>,
        first: usize,
        end: usize,
    ) -> impl Iterator<Item = Self> + use<'d, 't> {
        let mut index = first;
        std::iter::from_fn(move || {
            let node = document.nodes().get(index).filter(|_| index < end)?;
            let section = Self { document, index };
            index = node.next;
            Some(section)
        })
    }

    fn node(&self) -> &'d SectionNode {
        &self.document.nodes()[self.index]
    }

    /// The block of the heading.
    pub fn block(&self) -> &'d Block<'t> {
        &self.document.blocks()[self.node().block]
    }

    pub fn heading(&self) -> &'d Heading<'t> {
        self.block().structural_heading().expect("a section is made from a structural heading")
    }

    pub fn level(&self) -> u8 {
        self.node().level
    }

    pub fn title(&self) -> &'d str {
        &self.heading().title
    }

    /// Whether this is the section with this level and title; ASCII letters match in either case.
    pub fn is(&self, level: u8, title: &str) -> bool {
        self.level() == level && self.heading().is(title)
    }

    /// The 1-based line of the heading.
    pub fn line(&self) -> usize {
        self.document.line_of(self.block().span.start)
    }

    /// From the start of the heading's line to the next section that is not inside this one.
    pub fn span(&self) -> Span {
        self.block().span.start..self.node().end
    }

    /// Everything after the heading's line, subsections included.
    pub fn body(&self) -> Span {
        after_line(self.document.text(), self.block().span.end)..self.node().end
    }

    /// What stands between the heading's line and the first subsection.
    pub fn intro(&self) -> Span {
        let body = self.body();
        let end = self.children().next().map_or(body.end, |child| child.span().start);
        body.start..end
    }

    /// The blocks below the heading, those of subsections included.
    pub fn blocks(&self) -> &'d [Block<'t>] {
        self.document.blocks_in(self.body())
    }

    /// The blocks between the heading and the first subsection.
    pub(crate) fn intro_blocks(&self) -> &'d [Block<'t>] {
        self.document.blocks_in(self.intro())
    }

    /// The subsections directly in this one, whatever their level.
    pub fn children(&self) -> impl Iterator<Item = Section<'d, 't>> + use<'d, 't> {
        Self::siblings(self.document, self.index + 1, self.node().next)
    }
}

/// The start of the line after the one that holds `offset`.
fn after_line(text: &str, offset: usize) -> usize {
    let Some(at) = text[offset..].find(['\n', '\r']) else { return text.len() };
    let end = offset + at;
    end + if text[end..].starts_with("\r\n") { 2 } else { 1 }
}
