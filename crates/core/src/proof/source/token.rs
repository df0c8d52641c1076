//! The pieces that a lexer cuts a file into.

use std::ops::Range;

/// One piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The line on which it starts, from 0.
    pub(crate) line: usize,
    /// Whether nothing but blanks stands before it on its line.
    pub(crate) first: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name, a keyword, a number.
    Word,
    /// A string, with the bounds of what is between its quotes.
    Text {
        start: usize,
        end: usize,
    },
    /// A single character that is none of the others.
    Mark(u8),
    Comment,
}

/// A file and its pieces.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    pub(crate) text: &'t str,
    pub(crate) all: Vec<Token>,
    line_starts: Vec<usize>,
    /// For each token the bracket that it stands in, and for brackets the one that belongs to it.
    brackets: Vec<Bracket>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bracket {
    around: Option<usize>,
    partner: Option<usize>,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str, all: Vec<Token>) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        let brackets = pair(&all);
        Self { text, all, line_starts, brackets }
    }

    pub(crate) fn word(&self, index: usize) -> Option<&'t str> {
        let token = self.all.get(index)?;
        (token.kind == TokenKind::Word).then(|| &self.text[token.start..token.end])
    }

    pub(crate) fn mark(&self, index: usize) -> Option<u8> {
        match self.all.get(index)?.kind {
            TokenKind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    pub(crate) fn is_mark(&self, index: usize, mark: u8) -> bool {
        self.mark(index) == Some(mark)
    }

    /// What stands between the quotes of a string.
    pub(crate) fn string(&self, index: usize) -> Option<&'t str> {
        match self.all.get(index)?.kind {
            TokenKind::Text { start, end } => Some(&self.text[start..end]),
            _ => None,
        }
    }

    /// The first token at or after an index that is no comment.
    pub(crate) fn code_from(&self, index: usize) -> Option<usize> {
        (index..self.all.len()).find(|&at| self.all[at].kind != TokenKind::Comment)
    }

    /// The last token before an index that is no comment.
    pub(crate) fn code_before(&self, index: usize) -> Option<usize> {
        (0..index.min(self.all.len())).rev().find(|&at| self.all[at].kind != TokenKind::Comment)
    }

    /// The bracket that closes the one at `index`, or the last token.
    pub(crate) fn closing(&self, index: usize) -> usize {
        let partner = self.brackets.get(index).and_then(|bracket| bracket.partner);
        partner.unwrap_or(self.all.len().saturating_sub(1)).max(index)
    }

    /// The bracket that the one at `index` closes; the first token, when there is none.
    pub(crate) fn opening(&self, index: usize) -> usize {
        self.brackets.get(index).and_then(|bracket| bracket.partner).unwrap_or(0).min(index)
    }

    /// The bracket that a token stands in.
    pub(crate) fn around(&self, index: usize) -> Option<usize> {
        self.brackets.get(index)?.around
    }

    /// How far a token is from the start of its line, in characters.
    pub(crate) fn column(&self, index: usize) -> usize {
        let token = &self.all[index];
        self.text[self.line_starts[token.line]..token.start].chars().count()
    }

    /// The line, from 0, that holds a byte.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The line, from 0, on which a token ends.
    pub(crate) fn end_line(&self, index: usize) -> usize {
        let token = &self.all[index];
        self.line_of(token.end.saturating_sub(1).max(token.start))
    }

    pub(crate) fn lines(&self) -> usize {
        self.line_starts.len()
    }

    /// A line without its break.
    pub(crate) fn line_text(&self, line: usize) -> &'t str {
        let start = self.line_starts[line];
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The tokens that start on these lines.
    pub(crate) fn on_lines(&self, lines: Range<usize>) -> Range<usize> {
        let first = self.all.partition_point(|token| token.line < lines.start);
        let end = self.all.partition_point(|token| token.line < lines.end);
        first..end
    }
}

/// Which brackets belong together; one that closes nothing is left alone.
fn pair(tokens: &[Token]) -> Vec<Bracket> {
    let mut brackets = vec![Bracket::default(); tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(' | b'[' | b'{') => {
                brackets[index].around = open.last().copied();
                open.push(index);
            }
            TokenKind::Mark(b')' | b']' | b'}') => {
                if let Some(start) = open.pop() {
                    brackets[start].partner = Some(index);
                    brackets[index].partner = Some(start);
                }
                brackets[index].around = open.last().copied();
            }
            _ => brackets[index].around = open.last().copied(),
        }
    }
    brackets
}
