//! Which parentheses and braces a formatter may add or take away.

use super::language::Language;
use super::token::{Token, TokenKind, Tokens};

/// Words before which a parenthesis only groups.
const BEFORE_GROUP: [&str; 24] = [
    "return", "if", "elif", "while", "in", "not", "and", "or", "assert", "yield", "await", "del", "for",
    "with", "lambda", "else", "raise", "throw", "case", "match", "is", "print", "from", "import",
];

/// Brackets that stand deeper than this are taken as they are.
const MAX_DEPTH: usize = 200;

/// Which of `code` (tokens without comments) mean nothing to the hash.
pub(super) fn redundant(tokens: &Tokens<'_>, code: &[Token], language: &Language) -> Vec<bool> {
    let mut drop = vec![false; code.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in code.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(' | b'[' | b'{') => open.push(index),
            TokenKind::Mark(b')' | b']' | b'}') => {
                let Some(start) = open.pop() else { continue };
                if open.len() > MAX_DEPTH {
                    continue;
                }
                let is = |index: usize, mark| code[index].kind == TokenKind::Mark(mark);
                let pair = Pair { tokens, code, start, end: index, language };
                let redundant = (is(start, b'(') && is(index, b')') && pair.only_groups(&drop))
                    || (is(start, b'{') && is(index, b'}') && pair.only_wraps());
                if redundant {
                    drop[start] = true;
                    drop[index] = true;
                }
            }
            _ => {}
        }
    }
    drop
}

struct Pair<'a, 't> {
    tokens: &'a Tokens<'t>,
    code: &'a [Token],
    start: usize,
    end: usize,
    language: &'a Language,
}

impl Pair<'_, '_> {
    /// Whether parentheses could be left out: they call nothing, make no tuple, and hold one token, another pair, or all
    /// that stands between two words that end an expression anyway.
    fn only_groups(&self, dropped: &[bool]) -> bool {
        if self.end == self.start + 1 || !self.may_group() || self.is_tuple() {
            return false;
        }
        let one_token = self.end == self.start + 2;
        // A pair that was dropped already leaves its content as it stands.
        let inner = self.start + 1;
        let nested = is(self.code[inner], b'(')
            && is(self.code[self.end - 1], b')')
            && !dropped[inner]
            && self.matching(inner) == Some(self.end - 1);
        one_token || nested || (self.opens_expression() && self.closes_expression())
    }

    /// `=> { expression }` in Rust, which has no semicolon in it.
    fn only_wraps(&self) -> bool {
        if !self.language.is("rust") || self.start == 0 {
            return false;
        }
        let before = self.code[self.start - 1];
        let arrow = is(before, b'>') && self.start > 1 && is(self.code[self.start - 2], b'=');
        let closure = is(before, b'|');
        (arrow || closure)
            && self.end > self.start + 1
            && !self.contains_at_top(b';')
            && !self.opens_statement()
    }

    fn opens_statement(&self) -> bool {
        matches!(self.word(self.start + 1), Some("let" | "for" | "while" | "loop" | "return"))
    }

    fn word(&self, index: usize) -> Option<&str> {
        let token = self.code.get(index)?;
        (token.kind == TokenKind::Word).then(|| &self.tokens.text[token.start..token.end])
    }

    /// Whether what stands before cannot be called.
    fn may_group(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return true };
        match self.code[before].kind {
            TokenKind::Word => {
                let word = self.word(before).unwrap_or_default();
                // On a line of its own it is a new statement only where lines end statements.
                BEFORE_GROUP.contains(&word) && !(word == "print" && self.language.is("python"))
            }
            TokenKind::Text { .. } => false,
            TokenKind::Mark(mark) => {
                !matches!(mark, b')' | b']' | b'>' | b'!' | b'?')
                    || (mark == b'>' && before > 0 && is(self.code[before - 1], b'='))
            }
            TokenKind::Comment => true,
        }
    }

    fn is_tuple(&self) -> bool {
        let commas = self.at_top().filter(|&index| is(self.code[index], b',')).count();
        match (commas, self.language.name) {
            (0, _) => false,
            // `(a,)` is a tuple, and several are one wherever they stand.
            (1, "python" | "rust") => is(self.code[self.end - 1], b','),
            _ => self.language.is("rust") || !self.opens_expression(),
        }
    }

    fn opens_expression(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return true };
        match self.code[before].kind {
            TokenKind::Word => true,
            TokenKind::Mark(mark) => {
                matches!(mark, b'=' | b'(' | b'[' | b'{' | b',' | b';' | b'}')
                    || (mark == b':' && !self.language.is("rust"))
                    || (mark == b'>' && before > 0 && is(self.code[before - 1], b'='))
            }
            _ => false,
        }
    }

    fn closes_expression(&self) -> bool {
        let Some(behind) = self.code.get(self.end + 1) else { return true };
        let new_line = behind.line > self.code[self.end].line;
        match behind.kind {
            TokenKind::Mark(mark) => {
                matches!(mark, b')' | b']' | b'}' | b',' | b';' | b':')
                    || (mark == b'{' && !self.language.is("rust"))
                    || (new_line
                        && !matches!(
                            mark,
                            b'.' | b'?' | b'(' | b'[' | b'+' | b'-' | b'*' | b'/' | b'&' | b'|'
                        ))
            }
            TokenKind::Word => new_line,
            _ => new_line,
        }
    }

    /// The tokens between the two that stand in no further bracket.
    fn at_top(&self) -> impl Iterator<Item = usize> {
        let mut depth = 0_usize;
        (self.start + 1..self.end).filter(move |&index| {
            match self.code[index].kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
    }

    fn contains_at_top(&self, mark: u8) -> bool {
        self.at_top().any(|index| is(self.code[index], mark))
    }

    fn matching(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (open..=self.end).find(|&index| {
            match self.code[index].kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => return false,
            }
            depth == 0
        })
    }
}

fn is(token: Token, mark: u8) -> bool {
    token.kind == TokenKind::Mark(mark)
}
