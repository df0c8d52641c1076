//! Which parentheses and braces a formatter may add or take away.

use super::language::{Language, Shape};
use super::operators::Operators;
use super::token::{Token, TokenKind, Tokens};

/// Words before which a parenthesis only groups in Python.
const BEFORE_GROUP: &[&str] = &[
    "return", "if", "elif", "while", "in", "not", "and", "or", "assert", "yield", "await", "del", "for",
    "with", "lambda", "else", "raise", "case", "match", "is", "from", "import",
];
/// The same in other languages.
const BEFORE_VALUE: &[&str] = &["return", "yield", "throw", "case", "else", "of"];
/// What JavaScript has besides: they hold on to what follows.
const BEFORE_OPERAND: &[&str] = &["await", "in", "instanceof", "typeof", "void", "delete"];

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
                let pair = Pair { tokens, code, start, end: index, enclosed: !open.is_empty(), language };
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

pub(super) struct Pair<'a, 't> {
    tokens: &'a Tokens<'t>,
    pub(super) code: &'a [Token],
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it stands in further brackets.
    pub(super) enclosed: bool,
    pub(super) language: &'a Language,
}

impl Pair<'_, '_> {
    /// Whether parentheses could be left out: they call nothing, make no tuple, and hold one token, another pair, or all
    /// that stands between two words that end an expression anyway; where it is known how operators bind, what they hold
    /// binds tighter than what stands around them.
    fn only_groups(&self, dropped: &[bool]) -> bool {
        let one_token = self.end == self.start + 2;
        if one_token && self.is_parameter() {
            return true;
        }
        if self.end == self.start + 1 || !self.may_group() || self.is_tuple() {
            return false;
        }
        // A pair that was dropped already leaves its content as it stands.
        let inner = self.start + 1;
        let nested = is(self.code[inner], b'(')
            && is(self.code[self.end - 1], b')')
            && !dropped[inner]
            && self.matching(inner) == Some(self.end - 1);
        let needless = || match Operators::of(self.language) {
            Some(operators) => self.binds_tighter(operators, dropped),
            None => self.opens_expression() && self.closes_expression(),
        };
        one_token || nested || needless()
    }

    /// `(x) => …`, whatever stands before it.
    fn is_parameter(&self) -> bool {
        let has = |at: usize, mark| self.code.get(at).is_some_and(|token| is(*token, mark));
        self.language.is("javascript") && has(self.end + 1, b'=') && has(self.end + 2, b'>')
    }

    /// `=> { expression }` in Rust, which has no semicolon in it, or `=> { return …; }`, which needs none.
    fn only_wraps(&self) -> bool {
        if !self.language.is("rust") || self.start == 0 || self.end == self.start + 1 {
            return false;
        }
        let before = self.code[self.start - 1];
        let arrow = is(before, b'>') && self.start > 1 && is(self.code[self.start - 2], b'=');
        if !arrow && !is(before, b'|') {
            return false;
        }
        let semicolons = self.at_top().filter(|&index| is(self.code[index], b';')).count();
        match self.word(self.start + 1) {
            Some("return" | "break" | "continue") => {
                semicolons == 0 || (semicolons == 1 && is(self.code[self.end - 1], b';'))
            }
            Some("let" | "for" | "while" | "loop") => false,
            _ => semicolons == 0,
        }
    }

    pub(super) fn word(&self, index: usize) -> Option<&str> {
        let token = self.code.get(index)?;
        (token.kind == TokenKind::Word).then(|| &self.tokens.text[token.start..token.end])
    }

    /// Whether what stands before cannot be called.
    fn may_group(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return true };
        match self.code[before].kind {
            TokenKind::Word => {
                let word = self.word(before).unwrap_or_default();
                // Elsewhere `if (…)` and its like need them.
                if self.language.is("python") { BEFORE_GROUP } else { BEFORE_VALUE }.contains(&word)
                    || (self.language.is("javascript") && BEFORE_OPERAND.contains(&word))
            }
            TokenKind::Text { .. } => false,
            // `a?.(b)` is a call; `!` and `?` end no name as they do elsewhere.
            TokenKind::Mark(b'.') if self.language.is("javascript") => false,
            TokenKind::Mark(b'!' | b'?' | b'>') if self.language.is("javascript") => true,
            TokenKind::Mark(mark) => {
                !matches!(mark, b')' | b']' | b'>' | b'!' | b'?')
                    || (mark == b'>' && before > 0 && is(self.code[before - 1], b'='))
            }
            TokenKind::Comment => true,
        }
    }

    /// Whether a comma makes more of the parentheses than a group. Python may put them round the values of a statement.
    fn is_tuple(&self) -> bool {
        let commas = self.at_top().filter(|&index| is(self.code[index], b',')).count();
        if commas == 0 || !self.language.is("python") {
            return commas > 0;
        }
        let one_value = commas == 1 && is(self.code[self.end - 1], b',');
        let of_statement = self.start.checked_sub(1).is_some_and(|before| {
            is(self.code[before], b'=') || self.word(before).is_some_and(|word| BEFORE_GROUP.contains(&word))
        });
        one_value || !of_statement
    }

    fn opens_expression(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return true };
        match self.code[before].kind {
            TokenKind::Word => true,
            TokenKind::Mark(mark) => {
                matches!(mark, b'(' | b'[' | b'{' | b',' | b';' | b'}')
                    || (mark == b'=' && !self.compares(before))
                    || (mark == b':' && !self.language.is("rust"))
                    || (mark == b'>' && before > 0 && is(self.code[before - 1], b'='))
            }
            _ => false,
        }
    }

    /// Whether this `=` is the end of `==`, `!=`, `<=` or `>=`.
    fn compares(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        self.code[before].end == self.code[at].start
            && matches!(self.code[before].kind, TokenKind::Mark(b'=' | b'!' | b'<' | b'>'))
    }

    fn closes_expression(&self) -> bool {
        let Some(behind) = self.code.get(self.end + 1) else { return true };
        // Where lines end statements, the end of one ends the expression.
        let new_line = behind.line > self.code[self.end].line && self.language.shape != Shape::Braces;
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

    pub(super) fn matching(&self, open: usize) -> Option<usize> {
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
