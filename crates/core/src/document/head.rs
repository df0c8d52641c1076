//! The top of a text, read without the rest: front matter and first heading.

use super::reader::{leading_atx_heading, read_blocks_until};
use super::{Block, FrontMatterBlock, Heading, Span, front_matter};
use crate::diagnostic::Diagnostic;

/// How much Markdown is read at first in search of a heading.
const FIRST_PREFIX: usize = 512;

/// What stands at the top of a text.
#[derive(Debug)]
pub struct Head<'t> {
    pub front_matter: Option<FrontMatterBlock>,
    /// Where the Markdown begins.
    pub body_start: usize,
    /// The first heading outside quotes and lists.
    pub heading: Option<Heading<'t>>,
    /// The bytes of that heading.
    pub heading_span: Option<Span>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the top of a text. It says what [`super::Document::parse`] would say, for less work.
pub fn head(text: &str) -> Head<'_> {
    let opening = front_matter::find(text);
    let (heading, heading_span) = match first_heading(text, opening.body_start) {
        Some((heading, span)) => (Some(heading), Some(span)),
        None => (None, None),
    };
    Head {
        front_matter: opening.block,
        body_start: opening.body_start,
        heading,
        heading_span,
        diagnostics: opening.diagnostics,
    }
}

/// Reads a growing part of the Markdown. Whether a line opens a block depends on the lines before it and, for an
/// underlined heading, on the rest of its paragraph; so a part that ends with a blank line tells the truth.
pub(crate) fn first_heading(text: &str, body_start: usize) -> Option<(Heading<'_>, Span)> {
    if let Some(found) = leading_atx_heading(text, body_start) {
        return Some(found);
    }
    let mut length = FIRST_PREFIX;
    loop {
        let end = blank_line_after(text, body_start.saturating_add(length));
        let blocks = read_blocks_until(text, body_start, end);
        let found = blocks.into_iter().find(|block| block.structural_heading().is_some());
        if let Some(Block { kind: super::BlockKind::Heading(heading), span, .. }) = found {
            return Some((heading, span));
        }
        if end == text.len() {
            return None;
        }
        length = length.saturating_mul(4);
    }
}

/// The end of the first blank line at or after `offset`, or the end of the text.
fn blank_line_after(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = offset.min(bytes.len());
    while let Some(newline) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        at += newline + 1;
        let blanks = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if bytes.get(at + blanks) == Some(&b'\n') {
            return at + blanks + 1;
        }
    }
    bytes.len()
}
