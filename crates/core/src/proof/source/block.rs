//! Where a declaration ends.

use super::language::{Language, Shape};
use super::statement::goes_on;
use super::token::{TokenKind, Tokens};

/// The last token of the declaration whose first token behind its attributes is `from`.
pub(crate) fn block_end(tokens: &Tokens<'_>, from: usize, language: &Language) -> usize {
    match language.shape {
        Shape::Braces | Shape::BracesOrLine => braces_end(tokens, from, language),
        Shape::Indent => indent_end(tokens, from, language),
        Shape::End => keyword_end(tokens, from),
        Shape::Parens => {
            if tokens.is_mark(from, b'(') {
                tokens.closing(from)
            } else {
                paragraph_end(tokens, from)
            }
        }
        Shape::Semicolon => semicolon_end(tokens, from),
        Shape::Gherkin => gherkin_end(tokens, from),
        Shape::Paragraph => paragraph_end(tokens, from),
    }
}

fn braces_end(tokens: &Tokens<'_>, from: usize, language: &Language) -> usize {
    let is_value = (from..tokens.all.len().min(from + 4)).any(|at| {
        matches!(tokens.word(at), Some("const" | "static" | "let" | "type"))
            && !matches!(tokens.word(at + 1), Some("fn" | "unsafe" | "async" | "extern"))
    });
    let needs_semicolon = is_value && language.shape == Shape::Braces && language.is("rust");
    let is_field = tokens.is_mark(from + 1, b':') && !tokens.is_mark(from + 2, b':');
    let (mut depth, mut angles) = (0_usize, 0_usize);
    let mut last = from;
    let mut at = from;
    while at < tokens.all.len() {
        match tokens.mark(at) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(mark @ (b')' | b']' | b'}')) => {
                if depth == 0 {
                    return last;
                }
                depth -= 1;
                if depth == 0 && mark == b'}' && !needs_semicolon && !goes_on_behind(tokens, at, language) {
                    return with_semicolon(tokens, at);
                }
            }
            Some(b';') if depth == 0 => return at,
            Some(b'<') if depth == 0 => angles += 1,
            Some(b'>') if depth == 0 => angles = angles.saturating_sub(1),
            Some(b',') if depth == 0 && angles == 0 && is_field => return last,
            _ => {}
        }
        last = at;
        let Some(next) = tokens.code_from(at + 1) else { break };
        let line_ends = language.shape == Shape::BracesOrLine && depth == 0 && tokens.all[next].first;
        if line_ends && !goes_on(tokens, at, next, language) {
            return last;
        }
        at = next;
    }
    last
}

/// Whether a declaration goes on behind the brace that closes at its own level.
fn goes_on_behind(tokens: &Tokens<'_>, at: usize, language: &Language) -> bool {
    let Some(next) = tokens.code_from(at + 1) else { return false };
    let same_line = tokens.all[next].line == tokens.end_line(at);
    match tokens.mark(next) {
        // A return type, or a literal of a type, in braces.
        Some(b'{') => same_line && matches!(language.name, "javascript" | "go" | "c"),
        Some(b'=' | b'|' | b'&') => same_line,
        Some(b'.' | b'?') => language.shape == Shape::BracesOrLine,
        // Members that are initialised before the body.
        Some(b',') => language.is("c") && same_line && tokens.is_mark(next + 2, b'{'),
        Some(b'(') => same_line && language.is("javascript"),
        _ => match tokens.word(next) {
            Some("else" | "catch" | "finally" | "except") => true,
            Some("as" | "satisfies") => same_line && language.is("javascript"),
            _ => false,
        },
    }
}

fn with_semicolon(tokens: &Tokens<'_>, at: usize) -> usize {
    match tokens.code_from(at + 1) {
        Some(next) if tokens.is_mark(next, b';') => next,
        _ => at,
    }
}

fn indent_end(tokens: &Tokens<'_>, from: usize, language: &Language) -> usize {
    let column = tokens.column(from);
    let name = tokens.word(from).filter(|_| matches!(language.name, "haskell" | "elm"));
    let mut depth = 0_usize;
    let mut last = from;
    let mut at = from;
    while let Some(code) = tokens.code_from(at) {
        let token = &tokens.all[code];
        let new_line = token.first && code != from && depth == 0 && !tokens.is_mark(last, b'\\');
        let same_name = name.is_some() && tokens.word(code) == name && tokens.column(code) == column;
        if new_line && tokens.column(code) <= column && !same_name {
            break;
        }
        match tokens.mark(code) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = code;
        at = code + 1;
    }
    last
}

/// Where blocks end with a word, the indentation shows which one it is.
fn keyword_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let column = tokens.column(from);
    let mut depth = 0_usize;
    let mut last = from;
    let mut at = from;
    while let Some(code) = tokens.code_from(at) {
        let token = &tokens.all[code];
        // A text that a shell reads line by line stands where it wants.
        let is_text = matches!(token.kind, TokenKind::Text { .. });
        if token.first && !is_text && code != from && depth == 0 && tokens.column(code) <= column {
            if tokens.column(code) < column {
                return last;
            }
            match tokens.word(code).map(str::to_ascii_lowercase).as_deref() {
                Some("fi" | "done" | "esac") => return code,
                // `end if`, `end subroutine name`
                Some(word) if word.starts_with("end") => return last_on_line(tokens, code),
                Some(
                    "else" | "elsif" | "elseif" | "elif" | "rescue" | "ensure" | "when" | "in" | "catch"
                    | "after" | "then" | "do" | "begin" | "contains",
                ) => {}
                None if matches!(tokens.mark(code), Some(b'}' | b')' | b']')) => {
                    return last_on_line(tokens, code);
                }
                None if tokens.is_mark(code, b'{') => {}
                _ => return last,
            }
        }
        match tokens.mark(code) {
            Some(b'(' | b'[') => depth += 1,
            Some(b')' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = code;
        at = code + 1;
    }
    last
}

fn last_on_line(tokens: &Tokens<'_>, from: usize) -> usize {
    let line = tokens.all[from].line;
    let on_line = (from..tokens.all.len()).take_while(|&at| tokens.all[at].line == line);
    on_line.last().unwrap_or(from)
}

fn semicolon_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let (mut depth, mut blocks) = (0_usize, 0_usize);
    let mut quoted = false;
    let mut routine = false;
    for at in from..tokens.all.len() {
        match tokens.mark(at) {
            Some(b'(') => depth += 1,
            Some(b')') => depth = depth.saturating_sub(1),
            Some(b';') if depth == 0 && blocks == 0 && !quoted => return at,
            _ => {}
        }
        let Some(word) = tokens.word(at) else { continue };
        if word.starts_with('$') && word.ends_with('$') {
            quoted = !quoted;
        }
        match word.to_ascii_lowercase().as_str() {
            "procedure" | "function" | "trigger" => routine = true,
            "begin" | "case" if routine => blocks += 1,
            "end" if routine && !tokens.word(at + 1).is_some_and(|next| next.eq_ignore_ascii_case("if")) => {
                blocks = blocks.saturating_sub(1);
            }
            _ => {}
        }
    }
    tokens.all.len() - 1
}

fn gherkin_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let header = tokens.all[from].line;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(tokens.line_text(header));
    let ends = |line: &usize| {
        let text = tokens.line_text(*line);
        let bare = text.trim_start();
        let keyword = bare.split_once(':').is_some_and(|(word, _)| {
            !word.is_empty() && word.chars().all(|ch| ch.is_alphanumeric() || ch == ' ')
        });
        indent(text) <= own && (bare.starts_with('@') || (keyword && !bare.starts_with("Examples")))
    };
    let end = (header + 1..tokens.lines()).find(ends).unwrap_or(tokens.lines());
    tokens.code_before(tokens.on_lines(header..end).end).filter(|last| *last >= from).unwrap_or(from)
}

fn paragraph_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let first = tokens.all[from].line;
    let blank = |line: &usize| tokens.line_text(*line).trim().is_empty();
    let end = (first + 1..tokens.lines()).find(blank).unwrap_or(tokens.lines());
    tokens.on_lines(first..end).end.max(from + 1) - 1
}
