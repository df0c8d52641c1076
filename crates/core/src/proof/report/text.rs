//! What all readers do to texts: decoding, cutting, finding references.

use std::borrow::Cow;

use super::{MESSAGE_CHARS, Ref};

/// The text of a report. Runners under Windows shells write UTF-16; bytes that are no text become `�`.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes).into(),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes).into(),
        bytes => String::from_utf8_lossy(bytes),
    }
}

/// The first line of a failure that says something, without colours, not too long.
pub(super) fn message(text: &str) -> Option<String> {
    text.lines()
        .map(plain)
        .find(|line| !line.is_empty())
        .map(|line| line.chars().take(MESSAGE_CHARS).collect())
}

/// A line without the sequences that colour a terminal, without control characters and blanks at its ends.
fn plain(line: &str) -> String {
    if !line.contains(char::is_control) {
        return line.trim().to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // A control sequence ends with a letter; anything else is one character long.
            if chars.next() == Some('[') {
                chars.find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
        } else if !c.is_control() {
            out.push(c);
        } else if c == '\t' {
            out.push(' ');
        }
    }
    out.trim().to_owned()
}

/// The references that a title carries: `@spec a#b/c, a#d`, or a Gherkin tag `@spec:a#b`.
pub(super) fn refs_in(title: &str, refs: &mut Vec<Ref>) {
    for (at, _) in title.match_indices("@spec") {
        let rest = title[at + "@spec".len()..].trim_start_matches("-test");
        if !rest.starts_with([' ', ':', '\t']) {
            continue;
        }
        // A reference ends at a blank; a comma before the blank says that another one follows.
        for word in rest[1..].split_whitespace() {
            refs_of(word, refs);
            if !word.ends_with(',') {
                break;
            }
        }
    }
}

/// The references of a list with commas.
pub(super) fn refs_of(list: &str, refs: &mut Vec<Ref>) {
    for part in list.split(',') {
        let part = part.trim().trim_end_matches([')', ']', '"', '\'', '.', ';']);
        if let Ok(reference) = Ref::parse(part)
            && !refs.contains(&reference)
        {
            refs.push(reference);
        }
    }
}

/// Splits the path of a Rust test, `module::name`, into what encloses it and its name. Other titles stay whole.
pub(super) fn rust_path(name: &str) -> (Vec<String>, &str) {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c == '_' || c.is_alphanumeric());
    match name.rsplit_once("::") {
        Some((modules, title)) if !title.is_empty() && modules.split("::").all(is_name) => {
            (modules.split("::").map(str::to_owned).collect(), title)
        }
        _ => (Vec::new(), name),
    }
}
