//! Byte order marks and line ends, which every edit keeps.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";
/// A NUL this early means that a file is no text.
pub(crate) const SNIFF_BYTES: usize = 8 * 1024;

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineEnds {
    /// There is not one line end
    None,
    Lf,
    Crlf,
    Mixed,
}

impl LineEnds {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let all = memchr_iter(b'\n', bytes).count();
        let with_cr = memmem::find_iter(bytes, b"\r\n").count();
        match (all, with_cr) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, with_cr) if all == with_cr => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The text with these line ends. A text that goes into a file without lines, or with mixed ones, stays as it is.
    pub(crate) fn apply(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::None | Self::Mixed => Cow::Borrowed(text),
            Self::Lf => without_cr(text),
            Self::Crlf if memchr(b'\n', text).is_none() => Cow::Borrowed(text),
            Self::Crlf => {
                let plain = without_cr(text);
                let mut out = Vec::with_capacity(plain.len() + plain.len() / 16);
                for line in plain.split_inclusive(|byte| *byte == b'\n') {
                    match line.strip_suffix(b"\n") {
                        Some(line) => out.extend([line, b"\r\n"].concat()),
                        None => out.extend(line),
                    }
                }
                Cow::Owned(out)
            }
        }
    }
}

/// The text with every CRLF as LF; a carriage return that stands alone stays.
pub(crate) fn without_cr(text: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(text, b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memmem::find_iter(text, b"\r\n") {
        out.extend_from_slice(&text[from..at]);
        from = at + 1;
    }
    out.extend_from_slice(&text[from..]);
    Cow::Owned(out)
}

/// What is left after the byte order mark, and whether there was one.
pub(crate) fn without_bom(bytes: &[u8]) -> (&[u8], bool) {
    match bytes.strip_prefix(BOM) {
        Some(rest) => (rest, true),
        None => (bytes, false),
    }
}

pub(crate) fn is_binary(head: &[u8]) -> bool {
    memchr(0, &head[..head.len().min(SNIFF_BYTES)]).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn line_ends_are_told_apart() {
        let table: [(&[u8], LineEnds); 5] = [
            (b"a", LineEnds::None),
            (b"a\nb\n", LineEnds::Lf),
            (b"a\r\nb\r\n", LineEnds::Crlf),
            (b"a\r\nb\n", LineEnds::Mixed),
            (b"a\rb", LineEnds::None),
        ];
        for (text, ends) in table {
            assert_eq!(LineEnds::of(text), ends, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn applied_line_ends_are_the_only_ones(text in "(a|\n|\r\n|\ra){0,20}") {
            let crlf = LineEnds::Crlf.apply(text.as_bytes()).into_owned();
            prop_assert!(matches!(LineEnds::of(&crlf), LineEnds::None | LineEnds::Crlf));
            let lf = LineEnds::Lf.apply(text.as_bytes()).into_owned();
            prop_assert!(matches!(LineEnds::of(&lf), LineEnds::None | LineEnds::Lf));
            // One way and back loses nothing but the choice of line end.
            prop_assert_eq!(LineEnds::Lf.apply(&crlf), lf);
        }
    }
}
