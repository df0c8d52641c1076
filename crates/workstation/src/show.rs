//! Bytes as text that people and models can read.
//!
//! Names and contents need not be UTF-8. What is not is written as `\xNN`, never replaced or dropped.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// Text made of bytes, and whether it is exactly them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) exact: bool,
}

/// The bytes as text; bytes that are no UTF-8 become `\xNN`.
pub(crate) fn show_bytes(bytes: &[u8]) -> Shown {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Shown { text: text.to_owned(), exact: true };
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    Shown { text, exact: false }
}

/// The name that is shown like this.
pub(crate) fn unshow(name: &OsStr) -> OsString {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let byte = rest
            .strip_prefix(b"\\x")
            .and_then(|digits| std::str::from_utf8(digits.get(..2)?).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &rest[4..] } else { after };
    }
    // What only looks like it stands for itself.
    let is_shown_so = show_bytes(&bytes).text.as_bytes() == name.as_bytes();
    if is_shown_so { OsString::from_vec(bytes) } else { name.to_owned() }
}

pub(crate) fn show_path(path: &Path) -> String {
    show_bytes(path.as_os_str().as_bytes()).text
}

/// How many characters a text takes once it is a JSON string.
pub(crate) fn json_chars(text: &str) -> usize {
    text.chars().map(json_char).sum()
}

fn json_char(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if c < ' ' => 6,
        _ => 1,
    }
}

/// The longest beginning of a text that takes at most so many characters as a JSON string.
pub(crate) fn beginning(text: &str, budget: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += json_char(c);
        if used > budget {
            return &text[..at];
        }
    }
    text
}

/// The longest end of a text that takes at most so many characters as a JSON string.
pub(crate) fn ending(text: &str, budget: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += json_char(c);
        if used > budget {
            return &text[at + c.len_utf8()..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such() {
        assert_eq!(show_bytes("grün".as_bytes()), Shown { text: "grün".into(), exact: true });
        assert_eq!(show_bytes(b"gr\xfcn\xff"), Shown { text: r"gr\xFCn\xFF".into(), exact: false });
    }

    #[test]
    fn a_name_can_be_told_from_how_it_is_shown() {
        for name in
            [b"gr\xfcn\xff".as_slice(), b"plain", "grün".as_bytes(), br"a\x41", br"\xF", br"\x", br"\xzz\"]
        {
            let shown = show_bytes(name).text;
            assert_eq!(unshow(OsStr::new(&shown)), OsStr::from_bytes(name), "{shown}");
        }
    }

    #[test]
    fn a_text_is_cut_by_what_it_takes_as_json() {
        let text = "a\n\"é";
        assert_eq!(json_chars(text), serde_json::to_string(text).unwrap().chars().count() - 2);
        assert_eq!(beginning(text, 3), "a\n");
        assert_eq!(beginning(text, 4), "a\n");
        assert_eq!(ending(text, 3), "\"é");
        assert_eq!(ending(text, 100), text);
    }
}
