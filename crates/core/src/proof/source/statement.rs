//! Where the statement or declaration around a token begins.

use super::language::{Language, Shape};
use super::token::{TokenKind, Tokens};

/// The first token of the statement that a token is part of.
pub(crate) fn statement_start(tokens: &Tokens<'_>, index: usize, language: &Language) -> usize {
    let mut at = index;
    while let Some(before) = tokens.code_before(at) {
        let starts_line = tokens.all[at].first;
        match tokens.mark(before) {
            Some(b'(' | b'[') => at = before,
            Some(b'{' | b';') => return at,
            Some(b',') if starts_line && !is_within_parens(tokens, at) => return at,
            _ if starts_line && !goes_on(tokens, before, at, language) => return at,
            Some(b')' | b']' | b'}') => at = tokens.opening(before),
            _ => at = before,
        }
    }
    at
}

/// The start of a declaration with the attributes, annotations or decorators that stand before it.
pub(crate) fn with_attributes_above(tokens: &Tokens<'_>, start: usize, language: &Language) -> usize {
    let mut start = start;
    while let Some(before) = tokens.code_before(start) {
        let Some(attribute) = attribute_ending_at(tokens, before, language) else { break };
        start = attribute;
    }
    start
}

/// The first token behind the attributes that a declaration opens with, and the words in them.
pub(crate) fn behind_attributes<'t>(
    tokens: &Tokens<'t>,
    start: usize,
    language: &Language,
) -> (usize, Vec<&'t str>) {
    let mut at = start;
    let mut words = Vec::new();
    while let Some(code) = tokens.code_from(at) {
        at = code;
        let Some(end) = attribute_end(tokens, code, language) else { break };
        words.extend((code..=end).filter_map(|index| tokens.word(index)));
        at = end + 1;
    }
    (at, words)
}

/// Whether a line that starts with `at` continues the one before it.
pub(super) fn goes_on(tokens: &Tokens<'_>, before: usize, at: usize, language: &Language) -> bool {
    if tokens.is_mark(before, b'\\') {
        return true;
    }
    if matches!(language.shape, Shape::Indent | Shape::End | Shape::Gherkin | Shape::Paragraph) {
        return false;
    }
    let repeated = |mark| before > 0 && tokens.is_mark(before - 1, mark) && adjoins(tokens, before);
    let open_end = match tokens.mark(before) {
        Some(mark @ (b'+' | b'-')) => !repeated(mark),
        Some(b'=' | b'*' | b'/' | b'&' | b'|' | b'<' | b':' | b'.' | b',' | b'%' | b'^') => true,
        Some(b'?') => !matches!(language.name, "kotlin" | "swift"),
        Some(b'>') => repeated(b'='),
        _ => false,
    };
    if open_end {
        return true;
    }
    match tokens.all[at].kind {
        TokenKind::Mark(b'{' | b'.' | b'?' | b':' | b'&' | b'|' | b'=' | b'+' | b'*' | b'/' | b'%') => true,
        TokenKind::Mark(b'-') => language.shape == Shape::BracesOrLine,
        TokenKind::Word => matches!(
            tokens.word(at),
            Some(
                "where"
                    | "throws"
                    | "extends"
                    | "implements"
                    | "with"
                    | "by"
                    | "else"
                    | "catch"
                    | "finally"
                    | "as"
                    | "satisfies"
                    | "instanceof"
                    | "in"
                    | "is"
                    | "and"
                    | "or"
            )
        ),
        _ => false,
    }
}

/// Whether a token follows the one before it without a blank.
fn adjoins(tokens: &Tokens<'_>, index: usize) -> bool {
    index > 0 && tokens.all[index - 1].end == tokens.all[index].start
}

fn is_within_parens(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.around(index).is_some_and(|open| !tokens.is_mark(open, b'{'))
}

fn has_at_attributes(language: &Language) -> bool {
    matches!(
        language.name,
        "java" | "kotlin" | "python" | "javascript" | "swift" | "dart" | "scala" | "groovy"
    )
}

/// The start of the attribute that ends with this token.
fn attribute_ending_at(tokens: &Tokens<'_>, end: usize, language: &Language) -> Option<usize> {
    if tokens.is_mark(end, b']') {
        let open = tokens.opening(end);
        let hash = open.checked_sub(1)?;
        return match language.name {
            "rust" | "php" if tokens.is_mark(hash, b'#') => Some(hash),
            "csharp" | "c" if tokens.all[open].first => Some(open),
            _ => None,
        };
    }
    if !has_at_attributes(language) {
        return None;
    }
    let mut at = if tokens.is_mark(end, b')') { tokens.opening(end).checked_sub(1)? } else { end };
    // `@a.b.c` and `@get:A`
    loop {
        tokens.word(at)?;
        let before = at.checked_sub(1)?;
        match tokens.mark(before) {
            Some(b'@') => return attribute_end(tokens, before, language).map(|_| before),
            Some(b'.' | b':') => at = before.checked_sub(1)?,
            _ => return None,
        }
    }
}

/// The last token of the attribute that starts with this token.
fn attribute_end(tokens: &Tokens<'_>, start: usize, language: &Language) -> Option<usize> {
    match tokens.mark(start)? {
        b'#' if matches!(language.name, "rust" | "php") => {
            let open = if tokens.is_mark(start + 1, b'!') { start + 2 } else { start + 1 };
            tokens.is_mark(open, b'[').then(|| tokens.closing(open))
        }
        b'[' if matches!(language.name, "csharp" | "c") && tokens.all[start].first => {
            Some(tokens.closing(start))
        }
        b'@' if has_at_attributes(language) => {
            let name = tokens.word(start + 1)?;
            if name == "interface" || name == "main" && language.is("swift") {
                return None;
            }
            let mut end = start + 1;
            while matches!(tokens.mark(end + 1), Some(b'.' | b':')) && tokens.word(end + 2).is_some() {
                end += 2;
            }
            let opens = tokens.is_mark(end + 1, b'(') && tokens.all[end + 1].line == tokens.all[end].line;
            Some(if opens { tokens.closing(end + 1) } else { end })
        }
        _ => None,
    }
}
