//! The part of an address behind `?`, and forms.

use std::collections::BTreeMap;

use hewto_core::hub::Reason;

use crate::error::{Error, Result};

/// What was asked for, by name. Of two values of a name the first counts.
#[derive(Debug, Default)]
pub(crate) struct Params(BTreeMap<String, String>);

impl Params {
    /// What cannot be read is refused: leaving it out would ask for something else, a repository's absence for all of them.
    pub(crate) fn parse(query: &str) -> Result<Self> {
        let mut params = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(read), Some(value)) = (decode(name), decode(value)) else {
                return Err(unreadable(name));
            };
            params.entry(read).or_insert(value);
        }
        Ok(Self(params))
    }

    pub(crate) fn of(pairs: impl Iterator<Item = (String, String)>) -> Result<Self> {
        let params: BTreeMap<String, String> = pairs.collect();
        match params.iter().find(|(_, value)| value.contains('\0')) {
            Some((name, _)) => Err(unreadable(name)),
            None => Ok(Self(params)),
        }
    }

    /// A value that says something.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
}

fn unreadable(name: &str) -> Error {
    let shown: String = name.chars().take(40).collect();
    Error::bad(
        Reason::InvalidArgument,
        format!("`{}` holds a NUL, or escapes that make no text", shown.escape_debug()),
    )
    .hint("send text in UTF-8, with `%` and two hexadecimal digits for what has to be escaped")
}

/// Percent escapes and `+`; `None` where that is no text without NUL.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_and_of_two_values_the_first_counts() {
        let params = Params::parse("q=sign%20in+now&repo=acme%2Fshop&q=second&empty=").unwrap();
        assert_eq!(params.get("q"), Some("sign in now"));
        assert_eq!(params.get("repo"), Some("acme/shop"));
        for absent in ["empty", "none"] {
            assert_eq!(params.get(absent), None, "{absent}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_and_never_left_out() {
        for query in ["repo=%00", "repo=%zz", "repo=%", "repo=%ff", "q=x&repo=a%00b", "re%00po=x"] {
            let error = Params::parse(query).unwrap_err();
            assert_eq!(error.reason, Reason::InvalidArgument, "{query}");
        }
        let error = Params::of([("repo".to_owned(), "\0".to_owned())].into_iter()).unwrap_err();
        assert!(error.message.contains("`repo`"), "{error}");
    }
}
