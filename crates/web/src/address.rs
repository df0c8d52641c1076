//! Addresses: what is put into one, and what is read out of one.

use std::fmt::Write as _;

/// A text as one segment of a path, or as a value of a query.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            out.push(char::from(byte));
        } else if byte == b'.' && !matches!(text, "." | "..") && !text.ends_with(".json") {
            out.push('.');
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A segment or a value as it was meant; `None` where it is no text.
pub(crate) fn decoded(text: &str, plus_is_blank: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit =
                    |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|it| u8::try_from(it).ok());
                digit(rest.next())? * 16 + digit(rest.next())?
            }
            b'+' if plus_is_blank => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The pairs of a query or of a form. What is no text is left out.
pub(crate) fn pairs(text: &str) -> Vec<(String, String)> {
    let fields = text.split('&').filter(|field| !field.is_empty());
    fields
        .filter_map(|field| {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            Some((decoded(name, true)?, decoded(value, true)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_an_address_comes_out_again() {
        for text in ["accounts", "a/b", "..", "ä ö", "100%", "a+b&c=d", "spec://auth#login", "\u{202e}x"] {
            assert_eq!(decoded(&encoded(text), false).as_deref(), Some(text));
            assert_eq!(pairs(&format!("x={}", encoded(text))), [("x".to_owned(), text.to_owned())]);
        }
        assert_eq!(encoded("a/b.c"), "a%2Fb.c");
        assert_eq!(encoded(".."), "%2E%2E");
        assert_eq!(encoded("a.json"), "a%2Ejson", "a name is no format");
    }

    #[test]
    fn what_is_no_text_is_nothing() {
        for bad in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decoded(bad, false), None, "{bad}");
        }
        assert_eq!(pairs("a=%ff&b=1&&c"), [("b".into(), "1".into()), ("c".into(), String::new())]);
    }
}
