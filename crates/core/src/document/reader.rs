//! From the events of the CommonMark parser to a flat list of blocks.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::Span;
use super::block::{Block, BlockKind, CodeStyle, Heading, HeadingStyle, Item, Marker};
use super::plain::plain_text;

pub(super) fn read_blocks(text: &str, body_start: usize) -> Vec<Block<'_>> {
    read_blocks_until(text, body_start, text.len())
}

/// Reads the blocks of `text[body_start..end]`.
pub(super) fn read_blocks_until(text: &str, body_start: usize, end: usize) -> Vec<Block<'_>> {
    let mut reader =
        Reader { text: &text[..end], body_start, blocks: Vec::new(), open: Vec::new(), leaf: None };
    // No extension is on: tables and task marks are recognised here, so that they never change which lines are
    // headings or code.
    for (event, range) in Parser::new_ext(&text[body_start..end], Options::empty()).into_offset_iter() {
        reader.take(event, range.start + body_start..range.end + body_start);
    }
    reader.blocks
}

/// The heading that opens the body, when it is written with `#`: nothing can stand round the first block, so one
/// line tells.
pub(super) fn leading_atx_heading(text: &str, body_start: usize) -> Option<(Heading<'_>, Span)> {
    let body = &text[body_start..];
    let first = body.trim_start_matches(WHITESPACE);
    let start = text.len() - first.len();
    let line_start = text[body_start..start].rfind(['\n', '\r']).map_or(body_start, |at| body_start + at + 1);
    let level = atx_level(first)?;
    // Four columns make it code; a tab is worth four.
    if start - line_start > 3 || text[line_start..start].contains('\t') {
        return None;
    }
    let end = line_end(text, start);
    let span = line_start..start + text[start..end].trim_end_matches(WHITESPACE).len();
    let (style, content) = heading_content(text, span.clone());
    let raw = &text[content];
    Some((Heading { level, style, raw, title: plain_text(raw) }, span))
}

/// The level of a line that begins with the marks of a heading.
fn atx_level(line: &str) -> Option<u8> {
    let marks = line.bytes().take(7).take_while(|byte| *byte == b'#').count();
    let closed = line[marks..].chars().next().is_none_or(|ch| matches!(ch, ' ' | '\t' | '\n' | '\r'));
    u8::try_from(marks).ok().filter(|level| (1..=6).contains(level) && closed)
}

struct Reader<'t> {
    text: &'t str,
    body_start: usize,
    blocks: Vec<Block<'t>>,
    /// The containers that are open, outermost first.
    open: Vec<Container>,
    /// The block whose inline events are passing by.
    leaf: Option<Leaf>,
}

struct Container {
    block: usize,
    content: Content,
    /// How many list items are open, this container included.
    items: usize,
}

/// How far the first paragraph of a list item has been seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Awaited,
    /// It comes as inline events, as it does in a tight list.
    Inline,
    /// It came whole.
    Whole,
    /// Over; always so for a quote.
    Past,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    /// A code block, whose text events give its content.
    Code { block: usize, empty: bool },
    /// Any other block, whose inline events say nothing new.
    Other,
}

impl<'t> Reader<'t> {
    fn take(&mut self, event: Event<'t>, range: Span) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(level, range),
            Event::Start(Tag::Paragraph) => self.paragraph(range),
            Event::Start(Tag::CodeBlock(kind)) => self.code(&kind, range),
            Event::Start(Tag::HtmlBlock) => self.leaf(BlockKind::Html, range),
            Event::Start(Tag::BlockQuote(_)) => {
                self.push(BlockKind::Quote, range);
                let items = self.open_items();
                self.open.push(Container { block: self.blocks.len() - 1, content: Content::Past, items });
            }
            Event::Start(Tag::Item) => self.item(range),
            Event::Start(Tag::List(_)) => self.close_content(),
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => {
                self.close_content();
                self.open.pop();
            }
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::HtmlBlock) => {
                self.leaf = None;
                self.close_content();
            }
            Event::Rule => self.push(BlockKind::Rule, range),
            Event::Text(_) if matches!(self.leaf, Some(Leaf::Code { .. })) => self.code_text(range),
            _ if self.leaf.is_none() => self.inline(range),
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel, range: Span) {
        let span = self.whole(range);
        let (style, content) = heading_content(self.text, span.clone());
        let raw = &self.text[content.clone()];
        let heading = Heading { level: level as u8, style, raw, title: plain_text(raw) };
        self.push_block(BlockKind::Heading(heading), span, content);
        self.leaf = Some(Leaf::Other);
    }

    fn paragraph(&mut self, range: Span) {
        if let Some(container) = self.open.last_mut()
            && container.content == Content::Awaited
        {
            container.content = Content::Whole;
            let block = container.block;
            self.blocks[block].content = trimmed(self.text, range);
            self.leaf = Some(Leaf::Other);
            return;
        }
        let kind = if is_table(&self.text[range.clone()]) { BlockKind::Table } else { BlockKind::Paragraph };
        self.leaf(kind, range);
    }

    fn leaf(&mut self, kind: BlockKind<'t>, range: Span) {
        self.push(kind, range);
        self.leaf = Some(Leaf::Other);
    }

    fn code(&mut self, kind: &CodeBlockKind<'t>, range: Span) {
        let style = match kind {
            CodeBlockKind::Fenced(_) => CodeStyle::Fenced,
            CodeBlockKind::Indented => CodeStyle::Indented,
        };
        let span = self.whole(range);
        let after_fence = line_end(self.text, span.start).min(span.end);
        self.push_block(BlockKind::Code(style), span, after_fence..after_fence);
        self.leaf = Some(Leaf::Code { block: self.blocks.len() - 1, empty: true });
    }

    fn code_text(&mut self, range: Span) {
        let Some(Leaf::Code { block, empty }) = &mut self.leaf else { return };
        let content = &mut self.blocks[*block].content;
        if *empty {
            content.start = range.start;
        }
        content.end = range.end;
        *empty = false;
    }

    fn item(&mut self, range: Span) {
        let depth = self.open_items();
        let (marker, after) = read_marker(self.text, range.start);
        let item = Item { depth, marker, task: None };
        let span = self.whole(range);
        let end = after.min(span.end);
        self.push_block(BlockKind::Item(item), span, end..end);
        let items = depth + 1;
        self.open.push(Container { block: self.blocks.len() - 1, content: Content::Awaited, items });
    }

    fn open_items(&self) -> usize {
        self.open.last().map_or(0, |container| container.items)
    }

    /// An inline event right inside a list item: in a tight list there are no paragraph events.
    fn inline(&mut self, range: Span) {
        let Some(container) = self.open.last_mut() else { return };
        let content = &mut self.blocks[container.block].content;
        match container.content {
            Content::Awaited => {
                container.content = Content::Inline;
                // An escape begins before its text event, so the source says where the content begins.
                *content = content_start(self.text, content.start, range.start)..range.end;
            }
            Content::Inline => content.end = content.end.max(range.end),
            Content::Whole | Content::Past => {}
        }
    }

    /// Ends the first paragraph of the innermost list item, when it is open.
    fn close_content(&mut self) {
        let Some(container) = self.open.last_mut() else { return };
        let was = std::mem::replace(&mut container.content, Content::Past);
        let block = container.block;
        if was == Content::Inline {
            let content = &mut self.blocks[block].content;
            *content = trimmed(self.text, content.start..line_end(self.text, content.end));
        }
        if matches!(was, Content::Inline | Content::Whole) {
            self.read_task_mark(block);
        }
    }

    fn read_task_mark(&mut self, block: usize) {
        let text = self.text;
        let Block { kind: BlockKind::Item(item), content, .. } = &mut self.blocks[block] else { return };
        let mut chars = text[content.clone()].chars();
        let (Some('['), Some(mark), Some(']')) = (chars.next(), chars.next(), chars.next()) else { return };
        let rest = chars.as_str();
        if mark.is_control() || !(rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r'])) {
            return;
        }
        item.task = Some(mark);
        content.start = content.end - rest.trim_start_matches(WHITESPACE).len();
    }

    fn push(&mut self, kind: BlockKind<'t>, range: Span) {
        let span = self.whole(range);
        let content = trimmed(self.text, span.clone());
        self.push_block(kind, span, content);
    }

    fn push_block(&mut self, kind: BlockKind<'t>, span: Span, content: Span) {
        self.close_content();
        self.blocks.push(Block { kind, span, content, nesting: self.open.len() });
    }

    /// The span with the blanks before it on its line, and without the line ends after it.
    fn whole(&self, range: Span) -> Span {
        let before = &self.text.as_bytes()[self.body_start..range.start];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let starts_line = matches!(before[..before.len() - blanks].last(), None | Some(b'\n' | b'\r'));
        let start = if starts_line { range.start - blanks } else { range.start };
        start..trimmed(self.text, range).end.max(start)
    }
}

/// What Markdown takes for white space; other blanks are text.
const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn trimmed(text: &str, range: Span) -> Span {
    let is_white = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = &text.as_bytes()[range.clone()];
    let trailing = bytes.iter().rev().take_while(is_white).count();
    let leading = bytes[..bytes.len() - trailing].iter().take_while(is_white).count();
    range.start + leading..range.end - trailing
}

/// The end of the line that holds `offset`, before its line end.
fn line_end(text: &str, offset: usize) -> usize {
    let line = text.as_bytes()[offset..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    line.map_or(text.len(), |at| offset + at)
}

/// Where the text of a list item begins: behind the marker, or at the start of the first line that has any.
fn content_start(text: &str, after_marker: usize, first_event: usize) -> usize {
    let between = &text[after_marker..first_event];
    let line = between.rfind(['\n', '\r']).map_or(after_marker, |at| after_marker + at + 1);
    let blanks = text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    (line + blanks).min(first_event)
}

fn read_marker(text: &str, start: usize) -> (Marker, usize) {
    let rest = text[start..].trim_start_matches([' ', '\t']);
    let start = text.len() - rest.len();
    let digits = rest.len() - rest.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
    let sign = rest[digits..].chars().next().unwrap_or('-');
    let marker = match digits {
        0 => Marker::Bullet(sign),
        // CommonMark allows nine digits at most.
        _ => Marker::Ordered { number: rest[..digits].parse().unwrap_or(u64::MAX), delimiter: sign },
    };
    (marker, (start + digits + sign.len_utf8()).min(text.len()))
}

fn heading_content(text: &str, span: Span) -> (HeadingStyle, Span) {
    let slice = &text[span.clone()];
    let inner = slice.trim_start_matches(WHITESPACE);
    // A setext heading can begin with `#` only when no blank follows the marks, or when there are too many.
    if let Some(level) = atx_level(inner) {
        let start = span.end - inner.len() + usize::from(level);
        let line = &text[start..span.end];
        let open = line.trim_end_matches('#');
        let unmarked = if open.is_empty() || open.ends_with([' ', '\t']) { open } else { line };
        return (HeadingStyle::Atx, trimmed(text, start..start + unmarked.len()));
    }
    let underline = slice.rfind(['\n', '\r']).unwrap_or(slice.len());
    (HeadingStyle::Setext, trimmed(text, span.start..span.start + underline))
}

/// Whether the second line of a paragraph is the delimiter row of a table.
fn is_table(paragraph: &str) -> bool {
    let mut lines = paragraph.lines();
    let (Some(header), Some(row)) = (lines.next(), lines.next()) else { return false };
    header.contains('|')
        && row.contains('|')
        && row.contains('-')
        && row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'>' | b'\r'))
}
