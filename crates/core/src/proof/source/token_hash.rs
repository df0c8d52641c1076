//! What a declaration says, whatever it looks like.
//!
//! Blanks, comments, commas, semicolons, the style of quotes and parentheses that only group do not count. Where
//! indentation is structure it counts as such, not by its width.

use std::fmt::Write;
use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

use super::language::{Language, Shape};
use super::lexer::lex;
use super::lexer_literals::template_parts;
use super::parens::redundant;
use super::token::{Token, TokenKind, Tokens};
use crate::proof::tag;

/// Length of a hash, in hexadecimal digits: half of SHA-256.
const HASH_DIGITS: usize = 32;
/// How long a tuple of one value may be, in tokens.
const MAX_TUPLE: usize = 2_000;
/// How deep templates are looked into.
const MAX_NESTING: usize = 8;
/// What opens a block in Python.
const COMPOUND: [&str; 14] = [
    "if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async",
    "match", "case",
];

/// The hash of the tokens in a range.
pub(crate) fn hash_tokens(tokens: &Tokens<'_>, range: RangeInclusive<usize>, language: &Language) -> String {
    let mut hasher = Hasher::new();
    if language.shape == Shape::Paragraph && language.quotes.is_empty() {
        let first = tokens.all.get(*range.start()).map_or(0, |token| token.line);
        let last = tokens.all.get(*range.end()).map_or(0, |token| token.line);
        for line in (first..=last).map(|line| tokens.line_text(line)).filter(|line| !line.contains(tag::MARK))
        {
            line.split_whitespace().for_each(|word| hasher.piece(b'w', word.as_bytes()));
        }
        return hasher.finish();
    }
    take(&mut hasher, tokens, range, language, 0);
    hasher.finish()
}

/// Adds what the tokens in a range say.
fn take(
    hasher: &mut Hasher,
    tokens: &Tokens<'_>,
    range: RangeInclusive<usize>,
    language: &Language,
    nesting: usize,
) {
    let code: Vec<Token> =
        tokens.all[range].iter().filter(|token| token.kind != TokenKind::Comment).copied().collect();
    let dropped = redundant(tokens, &code, language);
    let mut indents = (language.shape == Shape::Indent).then(|| Indents::new(tokens, &code));
    for (index, token) in code.iter().enumerate() {
        if let Some(indents) = &mut indents
            && indents.is_docstring(index, language)
        {
            continue;
        }
        if let Some(indents) = &mut indents {
            indents.before(index, hasher);
        }
        if dropped[index] {
            continue;
        }
        let text = &tokens.text[token.start..token.end];
        match token.kind {
            TokenKind::Mark(b',') if keeps_comma(&code, &dropped, index, language) => {
                hasher.piece(b'm', b",");
            }
            TokenKind::Mark(b',' | b';') | TokenKind::Comment => {}
            TokenKind::Mark(b'\\') if indents.is_some() => {}
            TokenKind::Mark(mark) => hasher.piece(b'm', &[mark]),
            TokenKind::Word if text.as_bytes()[0].is_ascii_digit() => {
                hasher.piece(b'w', number(text).as_bytes());
            }
            TokenKind::Word => hasher.piece(b'w', text.as_bytes()),
            TokenKind::Text { start, end } => {
                let inner = said(&tokens.text[start..end]);
                let prefix =
                    text[..start - token.start].trim_end_matches(['"', '\'', '`', '#']).to_ascii_lowercase();
                // The quotes of a property that needs none come and go.
                let key = language.is("javascript")
                    && code.get(index + 1).is_some_and(|next| next.kind == TokenKind::Mark(b':'))
                    && is_name(&inner);
                let prefix = prefix.trim_start_matches('u');
                if !prefix.is_empty() {
                    hasher.piece(b'p', prefix.as_bytes());
                }
                if language.is("javascript")
                    && text.starts_with('`')
                    && text.contains("${")
                    && nesting < MAX_NESTING
                {
                    take_template(hasher, &tokens.text[start..end], language, nesting);
                } else {
                    hasher.piece(if key { b'w' } else { b's' }, inner.as_bytes());
                }
            }
        }
    }
    if let Some(mut indents) = indents {
        indents.end(hasher);
    }
}

/// Adds a template: its texts as they are, and its expressions by what they say.
fn take_template(hasher: &mut Hasher, inner: &str, language: &Language, nesting: usize) {
    for (text, expression) in template_parts(inner) {
        hasher.piece(b's', said(text).as_bytes());
        let Some(expression) = expression else { continue };
        let tokens = lex(expression, language);
        if let Some(last) = tokens.all.len().checked_sub(1) {
            take(hasher, &tokens, 0..=last, language, nesting + 1);
        }
    }
}

/// The hash of a text's words.
pub(crate) fn hash_words<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut hasher = Hasher::new();
    words.into_iter().for_each(|word| hasher.piece(b'w', word.as_bytes()));
    hasher.finish()
}

struct Hasher(Sha256);

impl Hasher {
    fn new() -> Self {
        Self(Sha256::new())
    }

    fn piece(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update([kind]);
        self.0.update(bytes);
        self.0.update([0]);
    }

    fn finish(self) -> String {
        let mut out = String::with_capacity(HASH_DIGITS);
        for byte in self.0.finalize().iter().take(HASH_DIGITS / 2) {
            let _ = write!(out, "{byte:02x}");
        }
        out
    }
}

/// Blocks that indentation makes.
struct Indents<'a, 't> {
    tokens: &'a Tokens<'t>,
    code: &'a [Token],
    columns: Vec<usize>,
    depth: usize,
    /// The first token of a block on the line of its header.
    inline: Option<usize>,
}

impl<'a, 't> Indents<'a, 't> {
    fn new(tokens: &'a Tokens<'t>, code: &'a [Token]) -> Self {
        Self { tokens, code, columns: Vec::new(), depth: 0, inline: None }
    }

    fn column(&self, token: &Token) -> usize {
        let line = self.tokens.line_text(token.line);
        // A tab goes to the next stop of eight, as Python reads it.
        line.chars()
            .take_while(|ch| matches!(ch, ' ' | '\t'))
            .fold(0, |column, ch| if ch == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
    }

    /// A string that is a statement by itself says nothing to the machine.
    fn is_docstring(&self, index: usize, language: &Language) -> bool {
        let token = &self.code[index];
        language.is("python")
            && self.depth == 0
            && token.first
            && matches!(token.kind, TokenKind::Text { .. })
            && self.code.get(index + 1).is_none_or(|next| next.first)
            && index > 0
            && self.code[index - 1].kind == TokenKind::Mark(b':')
    }

    fn before(&mut self, index: usize, hasher: &mut Hasher) {
        let token = &self.code[index];
        let continued = index > 0 && self.code[index - 1].kind == TokenKind::Mark(b'\\');
        if token.first && self.depth == 0 && !continued {
            self.new_line(index, hasher);
        }
        if self.inline == Some(index) {
            hasher.piece(b'i', b"+");
        }
        match token.kind {
            TokenKind::Mark(b'(' | b'[' | b'{') => self.depth += 1,
            TokenKind::Mark(b')' | b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn new_line(&mut self, index: usize, hasher: &mut Hasher) {
        if self.inline.take().is_some() {
            hasher.piece(b'i', b"-");
        }
        let column = self.column(&self.code[index]);
        match self.columns.last() {
            None => self.columns.push(column),
            Some(&current) if column > current => {
                self.columns.push(column);
                hasher.piece(b'i', b"+");
            }
            _ => {
                while self.columns.len() > 1 && self.columns.last().is_some_and(|&current| column < current) {
                    self.columns.pop();
                    hasher.piece(b'i', b"-");
                }
            }
        }
        self.inline = self.inline_block(index);
    }

    /// `if a: b` on one line is the same as on two.
    fn inline_block(&self, index: usize) -> Option<usize> {
        let token = &self.code[index];
        let word = &self.tokens.text[token.start..token.end];
        if token.kind != TokenKind::Word || !COMPOUND.contains(&word) {
            return None;
        }
        let mut depth = 0_usize;
        for (at, token) in self.code.iter().enumerate().skip(index) {
            match token.kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                TokenKind::Mark(b':') if depth == 0 => {
                    return self.code.get(at + 1).filter(|next| !next.first).map(|_| at + 1);
                }
                _ if depth == 0 && token.first && at > index => return None,
                _ => {}
            }
        }
        None
    }

    fn end(&mut self, hasher: &mut Hasher) {
        if self.inline.is_some() {
            hasher.piece(b'i', b"-");
        }
        for _ in 1..self.columns.len() {
            hasher.piece(b'i', b"-");
        }
    }
}

/// The comma that makes a tuple of one value.
fn keeps_comma(code: &[Token], dropped: &[bool], index: usize, language: &Language) -> bool {
    let closes =
        code.get(index + 1).is_some_and(|next| next.kind == TokenKind::Mark(b')')) && !dropped[index + 1];
    if !language.is("python") || !closes {
        return false;
    }
    // Only in a pair that calls nothing, and only where no other comma is.
    let mut depth = 0_usize;
    for at in (index.saturating_sub(MAX_TUPLE)..index).rev() {
        match code[at].kind {
            TokenKind::Mark(b')' | b']' | b'}') => depth += 1,
            TokenKind::Mark(b'(') if depth == 0 => {
                let callee = at.checked_sub(1).map(|before| code[before].kind);
                return !matches!(callee, Some(TokenKind::Word | TokenKind::Mark(b')' | b']')));
            }
            TokenKind::Mark(b'(' | b'[' | b'{') => depth = depth.saturating_sub(1),
            TokenKind::Mark(b',') if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// A number as all formatters write it.
fn number(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        _ => text,
    }
}

/// What a string says: whichever quotes it stands in, however its lines end, and without the tags it carries.
fn said(inner: &str) -> String {
    let text = tag::without_tags(inner);
    let text = text.replace("\\'", "'").replace("\\\"", "\"");
    if !text.contains('\n') {
        return text;
    }
    text.lines().collect::<Vec<_>>().join("\n")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|ch| ch.is_alphanumeric() || matches!(ch, '_' | '$'))
}
