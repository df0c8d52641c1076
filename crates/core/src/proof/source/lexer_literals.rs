//! Strings in all their dresses.

use std::ops::Range;

use super::language::{Language, Lines, Quote};

/// What a string says, and where it ends.
type Literal = (Range<usize>, usize);

/// How deep templates may stand in templates.
const MAX_NESTING: usize = 32;

/// A string that opens with one of the language's quotes.
pub(super) fn quoted(bytes: &[u8], at: usize, language: &Language) -> Option<Literal> {
    let quote = language.quotes.iter().find(|quote| bytes[at..].starts_with(quote.mark.as_bytes()))?;
    if quote.mark == "`" && language.is("javascript") {
        let end = template_end(bytes, at, 0);
        return Some(bounded(bytes, at + 1, end, 1));
    }
    closed(bytes, at, quote.mark.len(), *quote)
}

/// What strings begin with beside the language's quotes.
pub(super) fn string_openings(language: &Language) -> &'static [&'static str] {
    match language.name {
        "rust" => &["'", "r", "b", "c"],
        "javascript" => &["/"],
        "python" => &["r", "b", "u", "f", "t"],
        "c" => &["R", "L", "u"],
        "csharp" => &["@", "$"],
        _ => &[],
    }
}

/// A string with letters in front that belong to it, or with marks of its own.
pub(super) fn prefixed(bytes: &[u8], at: usize, language: &Language) -> Option<Literal> {
    let rest = &bytes[at..];
    if at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (prefix, behind) = rest.split_at(letters.min(3));
    match language.name {
        "rust" if matches!(prefix, b"r" | b"br" | b"cr") => {
            let hashes = behind.iter().take_while(|byte| **byte == b'#').count();
            if behind.get(hashes) != Some(&b'"') {
                return None;
            }
            let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
            Some(until(bytes, at + letters + hashes + 1, &close))
        }
        "rust" if matches!(prefix, b"b" | b"c") && behind.first() == Some(&b'"') => {
            quoted(bytes, at + letters, language)
        }
        "rust" if prefix == b"b" && behind.first() == Some(&b'\'') => rust_quote(bytes, at + letters),
        "python" if (1..=2).contains(&letters) => {
            let known = prefix.iter().all(|byte| b"rRbBuUfFtT".contains(byte));
            let opens = matches!(behind.first(), Some(b'"' | b'\''));
            if known && opens { quoted(bytes, at + letters, language) } else { None }
        }
        "c" if prefix.ends_with(b"R") && behind.first() == Some(&b'"') => {
            let open = behind.iter().take(20).position(|byte| *byte == b'(')?;
            let close = [b")".as_slice(), &behind[1..open], b"\""].concat();
            Some(until(bytes, at + letters + open + 1, &close))
        }
        "c" if matches!(prefix, b"L" | b"u" | b"U" | b"u8") && behind.first() == Some(&b'"') => {
            quoted(bytes, at + letters, language)
        }
        "csharp" if rest.starts_with(b"@\"") || rest.starts_with(b"$@\"") || rest.starts_with(b"@$\"") => {
            let open = rest.iter().position(|byte| *byte == b'"')?;
            Some(doubled(bytes, at + open + 1, b'"'))
        }
        _ => None,
    }
}

/// A Rust character; a lifetime is none.
pub(super) fn rust_quote(bytes: &[u8], at: usize) -> Option<Literal> {
    let rest = &bytes[at + 1..];
    let inner = match rest.first()? {
        b'\\' => {
            let escape = rest.iter().skip(2).take(10).position(|byte| *byte == b'\'')?;
            escape + 2
        }
        b'\'' | b'\n' => return None,
        first => match first {
            0..=0x7f => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        },
    };
    (rest.get(inner) == Some(&b'\'')).then(|| (at + 1..at + 1 + inner, at + inner + 2))
}

/// A regular expression between slashes.
pub(super) fn line_regex(bytes: &[u8], at: usize) -> Option<Literal> {
    let mut in_class = false;
    let mut index = at + 1;
    loop {
        match bytes.get(index)? {
            b'\n' => return None,
            b'\\' => index += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => break,
            _ => {}
        }
        index += 1;
    }
    // `//` would be a comment, and is one.
    (index > at + 1).then_some((at + 1..index, index + 1))
}

/// The word that ends the text which `<<` announces here.
pub(super) fn heredoc<'t>(bytes: &'t [u8], at: usize, language: &Language) -> Option<&'t [u8]> {
    if !matches!(language.name, "shell" | "ruby" | "perl" | "php") || !bytes[at..].starts_with(b"<<") {
        return None;
    }
    let mut rest = &bytes[at + 2..];
    while let Some((b'-' | b'~' | b'<' | b'\'' | b'"', more)) = rest.split_first() {
        rest = more;
    }
    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
    let shouted = rest.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    (length > 0 && shouted).then(|| &rest[..length])
}

/// Where a text that is ended by a word on its own line stops saying something, and where it ends.
pub(super) fn heredoc_end(bytes: &[u8], at: usize, word: &[u8]) -> (usize, usize) {
    let mut start = at;
    while start < bytes.len() {
        let length = bytes[start..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - start);
        let line = bytes[start..start + length].trim_ascii();
        if line == word || line.strip_suffix(b";") == Some(word) {
            return (start, start + length);
        }
        start += length + 1;
    }
    // Never closed: then it was a shift.
    (at, at)
}

fn closed(bytes: &[u8], at: usize, open: usize, quote: Quote) -> Option<Literal> {
    let mark = quote.mark.as_bytes();
    let mut index = at + open;
    while index < bytes.len() {
        let byte = bytes[index];
        if byte == mark[0] && bytes[index..].starts_with(mark) {
            return Some((at + open..index, index + mark.len()));
        }
        match byte {
            b'\n' if quote.lines == Lines::One => return None,
            b'\\' if quote.escapes => index += 1,
            _ => {}
        }
        index += 1;
    }
    None
}

fn until(bytes: &[u8], start: usize, close: &[u8]) -> Literal {
    let found =
        bytes.get(start..).unwrap_or_default().windows(close.len()).position(|window| window == close);
    match found {
        Some(length) => (start..start + length, start + length + close.len()),
        None => (start.min(bytes.len())..bytes.len(), bytes.len()),
    }
}

/// A string in which the quote is written twice to mean itself.
fn doubled(bytes: &[u8], start: usize, mark: u8) -> Literal {
    let mut index = start;
    while index < bytes.len() {
        if bytes[index] == mark {
            if bytes.get(index + 1) != Some(&mark) {
                return (start..index, index + 1);
            }
            index += 1;
        }
        index += 1;
    }
    (start..bytes.len(), bytes.len())
}

/// Where a template ends, with the expressions in it.
fn template_end(bytes: &[u8], at: usize, nesting: usize) -> usize {
    let mut index = at + 1;
    while index < bytes.len() {
        match bytes[index] {
            b'`' => return index + 1,
            b'\\' => index += 1,
            b'$' if bytes.get(index + 1) == Some(&b'{') && nesting < MAX_NESTING => {
                index = expression_end(bytes, index + 2, nesting);
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    bytes.len()
}

/// The texts of a template and the expressions between them, in their order.
pub(super) fn template_parts(inner: &str) -> Vec<(&str, Option<&str>)> {
    let bytes = inner.as_bytes();
    let (mut parts, mut from, mut index) = (Vec::new(), 0, 0);
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => index += 2,
            b'$' if bytes.get(index + 1) == Some(&b'{') => {
                let end = expression_end(bytes, index + 2, 0);
                let inside = index + 2..if bytes[end - 1] == b'}' { end - 1 } else { end };
                parts.push((&inner[from..index], inner.get(inside)));
                (from, index) = (end, end);
            }
            _ => index += 1,
        }
    }
    parts.push((&inner[from.min(inner.len())..], None));
    parts
}

fn expression_end(bytes: &[u8], start: usize, nesting: usize) -> usize {
    let mut depth = 1_usize;
    let mut index = start;
    while index < bytes.len() {
        match bytes[index] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            b'`' => {
                index = template_end(bytes, index, nesting + 1);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let line = bytes[index + 1..].iter().take_while(|byte| **byte != b'\n');
                if let Some(length) = line.clone().position(|byte| *byte == quote) {
                    index += length + 1;
                }
            }
            _ => {}
        }
        index += 1;
    }
    bytes.len()
}

fn bounded(bytes: &[u8], start: usize, end: usize, close: usize) -> Literal {
    let end = end.min(bytes.len());
    let closed = end >= start + close && bytes[end - close] == b'`';
    (start..if closed { end - close } else { end }, end)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
