//! How tightly operators bind in languages whose formatters add and take away parentheses by it.
//!
//! A pair can be left out when everything in it binds tighter than what stands on either side. Whatever is not known here
//! keeps its parentheses.

use super::operators::Operators;
use super::parens::Pair;
use super::token::TokenKind;

/// What stands alone: nothing is looser than the inside of brackets, nothing tighter than one value.
const NOTHING: u8 = 0;
const COMMA: u8 = 1;
const UNKNOWN: u8 = 2;
const MEMBER: u8 = 17;
const VALUE: u8 = 100;

impl Pair<'_, '_> {
    /// Whether what stands in the parentheses would be read the same without them.
    pub(super) fn binds_tighter(&self, operators: &Operators, dropped: &[bool]) -> bool {
        let (Some(left), Some(right)) = (self.left(operators), self.right(operators)) else { return false };
        let inner = match self.loosest(operators, dropped) {
            Some(inner) => inner,
            // Whatever it is, it stands alone.
            None if self.stands_alone() => UNKNOWN,
            None => return false,
        };
        let from_left = inner > left || (inner == left && operators.associative.contains(&inner));
        let from_right = inner > right || (inner == right && !operators.unlike_left.contains(&inner));
        from_left && from_right
    }

    /// The loosest operator between the two; nothing where it is not plain what stands there.
    fn loosest(&self, operators: &Operators, dropped: &[bool]) -> Option<u8> {
        let (mut level, mut at, mut has_value) = (VALUE, self.start + 1, false);
        while at < self.end {
            let token = self.code[at];
            match token.kind {
                // What was left out before says what it says here.
                TokenKind::Mark(b'(' | b')') if dropped[at] => at += 1,
                TokenKind::Mark(b'{') if has_value || (at == self.start + 1 && !self.may_hold_braces()) => {
                    return None;
                }
                TokenKind::Mark(b'(' | b'[' | b'{') => {
                    at = self.matching(at)? + 1;
                    has_value = true;
                }
                TokenKind::Mark(b',') if has_value && self.language.is("python") => {
                    level = COMMA;
                    has_value = false;
                    at += 1;
                }
                TokenKind::Mark(b'.') if has_value => {
                    let name = self.code.get(at + 1)?;
                    at += if name.kind == TokenKind::Word { 2 } else { return None };
                }
                TokenKind::Mark(b'?') if has_value && self.is_joined(at, b'.') => at += 1,
                TokenKind::Mark(b'!')
                    if has_value && self.language.is("javascript") && !self.is_joined(at, b'=') =>
                {
                    at += 1;
                }
                TokenKind::Mark(mark @ (b'+' | b'-')) if has_value && self.is_joined(at, mark) => {
                    level = level.min(operators.prefix);
                    at += 2;
                }
                TokenKind::Mark(mark) if !has_value => {
                    if !operators.is_prefix(mark) {
                        return None;
                    }
                    level = level.min(operators.prefix);
                    at += 1;
                }
                TokenKind::Mark(_) => {
                    let (length, binds) = self.operator_from(operators, at)?;
                    level = level.min(binds);
                    has_value = false;
                    at += length;
                }
                TokenKind::Word => {
                    let word = self.word(at)?;
                    if word == "new" && !has_value {
                        at = self.constructed(at)?;
                        has_value = true;
                        continue;
                    }
                    let known = if has_value { operators.word(word) } else { operators.prefix_word(word) };
                    match known {
                        Some(binds) => {
                            level = level.min(binds);
                            has_value = false;
                        }
                        None if has_value || is_odd(word) => return None,
                        None => has_value = true,
                    }
                    at += 1;
                }
                TokenKind::Text { .. } => {
                    has_value = true;
                    at += 1;
                }
                TokenKind::Comment => at += 1,
            }
        }
        // The comma behind the last value of a Python tuple ends it.
        (has_value || level == COMMA).then_some(level)
    }

    /// Behind `new Name(…)`; without its arguments it holds on to what follows.
    fn constructed(&self, new: usize) -> Option<usize> {
        let mut at = new + 1;
        self.word(at)?;
        while self.code.get(at + 1)?.kind == TokenKind::Mark(b'.') {
            at += 2;
            self.word(at)?;
        }
        let opens = self.code[at + 1].kind == TokenKind::Mark(b'(');
        if opens { Some(self.matching(at + 1)? + 1) } else { None }
    }

    /// Whether something that is not known here is a value: braces may be a block, and a list is made of what it holds.
    fn stands_alone(&self) -> bool {
        let before = self.start.checked_sub(1).map(|before| self.code[before].kind);
        let in_list = matches!(before, Some(TokenKind::Mark(b'[' | b'{')));
        let braces = self.code[self.start + 1].kind == TokenKind::Mark(b'{');
        (!braces || self.may_hold_braces()) && !(in_list && self.language.is("python"))
    }

    /// Whether braces in the first place are a value, as behind an arrow or at the start of a statement they are not.
    fn may_hold_braces(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return false };
        !matches!(self.code[before].kind, TokenKind::Mark(b'>' | b';' | b'{' | b'}' | b')'))
    }

    /// How tightly what stands before holds on to its right side.
    fn left(&self, operators: &Operators) -> Option<u8> {
        let Some(before) = self.start.checked_sub(1) else { return Some(NOTHING) };
        let python = self.language.is("python");
        match self.code[before].kind {
            TokenKind::Word => match self.word(before)? {
                "if" if python && self.code[before].first => Some(NOTHING),
                "in" if python && self.is_in_loop(before) => Some(NOTHING),
                "not" if python && before > 0 && self.word(before - 1) == Some("is") => Some(6),
                word if operators.opens(word) => Some(NOTHING),
                word => operators.prefix_word(word).or_else(|| operators.word(word)),
            },
            TokenKind::Mark(b'(' | b'[' | b'{' | b',' | b';' | b'}') => Some(NOTHING),
            TokenKind::Mark(b'?') if before > 0 && self.is_joined(before - 1, b'?') => operators.mark("??"),
            TokenKind::Mark(b':' | b'?') => Some(COMMA),
            TokenKind::Mark(mark) => {
                let (first, binds) = self.operator_to(operators, before)?;
                let is_prefix = operators.is_prefix(mark) && !self.ends_value(first);
                match binds {
                    _ if is_prefix => Some(operators.prefix),
                    // Type arguments end like a comparison begins.
                    _ if mark == b'>' && first == before && self.touches(before) => None,
                    Some(2) => Some(COMMA),
                    Some(binds) if self.ends_value(first) => Some(binds),
                    None if mark == b'=' && before > 0 && self.is_spelt(before - 1, ":=") => Some(COMMA),
                    None if mark == b'=' => Some(NOTHING),
                    _ => None,
                }
            }
            TokenKind::Text { .. } | TokenKind::Comment => None,
        }
    }

    /// How tightly what stands behind holds on to its left side.
    fn right(&self, operators: &Operators) -> Option<u8> {
        let at = self.end + 1;
        let Some(behind) = self.code.get(at) else { return Some(NOTHING) };
        let python = self.language.is("python");
        if python && behind.first && !self.enclosed {
            return Some(NOTHING);
        }
        let new_line = behind.line > self.code[self.end].line;
        match behind.kind {
            TokenKind::Mark(b')' | b']' | b'}' | b',' | b';' | b':') => Some(NOTHING),
            TokenKind::Mark(b'{') if !python => Some(NOTHING),
            TokenKind::Mark(b'.' | b'(' | b'[') => Some(MEMBER),
            TokenKind::Mark(b'?') if self.is_joined(at, b'.') => Some(MEMBER),
            TokenKind::Mark(b'!') if !self.is_joined(at, b'=') => Some(MEMBER),
            // A block behind parameters, or what is assigned to.
            TokenKind::Mark(_) => {
                self.operator_from(operators, at).map(|(_, binds)| binds).filter(|&binds| binds > 2)
            }
            TokenKind::Word => {
                let word = self.word(at)?;
                match operators.word(word) {
                    Some(binds) => Some(binds),
                    None if new_line && !python => Some(NOTHING),
                    None => matches!(word, "as" | "for" | "from" | "async" if python).then_some(NOTHING),
                }
            }
            TokenKind::Text { .. } if !python => Some(MEMBER),
            TokenKind::Text { .. } | TokenKind::Comment => None,
        }
    }

    /// The longest operator that begins here, with how many tokens it has.
    fn operator_from(&self, operators: &Operators, at: usize) -> Option<(usize, u8)> {
        operators.longest(|mark| self.is_spelt(at, mark)).map(|(mark, binds)| (mark.len(), binds))
    }

    /// Where the operator begins that ends here, and how it binds if it is one between two values.
    fn operator_to(&self, operators: &Operators, end: usize) -> Option<(usize, Option<u8>)> {
        let begins = |mark: &str| (end + 1).checked_sub(mark.len()).filter(|&at| self.is_spelt(at, mark));
        match operators.longest(|mark| begins(mark).is_some()) {
            Some((mark, binds)) => Some((begins(mark)?, Some(binds))),
            None => matches!(self.code[end].kind, TokenKind::Mark(_)).then_some((end, None)),
        }
    }

    fn is_spelt(&self, at: usize, mark: &str) -> bool {
        mark.bytes().enumerate().all(|(offset, byte)| {
            let token = self.code.get(at + offset);
            token.is_some_and(|token| token.kind == TokenKind::Mark(byte))
                && (offset == 0 || self.touches(at + offset))
        })
    }

    /// Whether this mark follows at once.
    fn is_joined(&self, at: usize, mark: u8) -> bool {
        self.code.get(at + 1).is_some_and(|next| next.kind == TokenKind::Mark(mark)) && self.touches(at + 1)
    }

    /// Whether no blank stands before a token.
    fn touches(&self, at: usize) -> bool {
        at > 0 && self.code[at - 1].end == self.code[at].start
    }

    /// Whether a value ends before a token.
    fn ends_value(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        match self.code[before].kind {
            TokenKind::Word => {
                let word = self.word(before).unwrap_or_default();
                !Operators::of(self.language).is_some_and(|known| {
                    known.opens(word) || known.word(word).is_some() || known.prefix_word(word).is_some()
                })
            }
            TokenKind::Text { .. } | TokenKind::Mark(b')' | b']' | b'}') => true,
            TokenKind::Mark(_) | TokenKind::Comment => false,
        }
    }

    /// Whether `in` belongs to a loop: `for` stands before it, and nothing but names between them.
    fn is_in_loop(&self, at: usize) -> bool {
        let names = (0..at).rev().take_while(|&index| match self.code[index].kind {
            TokenKind::Word => {
                let word = self.word(index).unwrap_or_default();
                word != "for" && Operators::of(self.language).is_none_or(|known| known.word(word).is_none())
            }
            TokenKind::Mark(mark) => matches!(mark, b',' | b'(' | b')' | b'.' | b'*'),
            _ => false,
        });
        let first = names.last().unwrap_or(at);
        first.checked_sub(1).is_some_and(|before| self.word(before) == Some("for"))
    }
}

/// Words that begin something of their own where a value is expected.
fn is_odd(word: &str) -> bool {
    matches!(
        word,
        "function"
            | "class"
            | "async"
            | "yield"
            | "lambda"
            | "const"
            | "let"
            | "var"
            | "for"
            | "of"
            | "import"
    )
}

#[cfg(test)]
#[path = "binding_tests.rs"]
mod tests;
