//! The part of an address behind `?`, and forms.

use std::collections::BTreeMap;

/// What was asked for, by name. Of two values of a name the first counts.
#[derive(Debug, Default)]
pub(crate) struct Params(BTreeMap<String, String>);

impl Params {
    pub(crate) fn parse(query: &str) -> Self {
        let mut params = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Some(name), Some(value)) = (decode(name), decode(value)) {
                params.entry(name).or_insert(value);
            }
        }
        Self(params)
    }

    pub(crate) fn of(pairs: impl Iterator<Item = (String, String)>) -> Self {
        Self(pairs.filter(|(_, value)| !value.contains('\0')).collect())
    }

    /// A value that says something.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
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
    fn escapes_are_read_and_broken_ones_are_nothing() {
        let params = Params::parse("q=sign%20in+now&repo=acme%2Fshop&bad=%zz&nul=%00&q=second&empty=");
        assert_eq!(params.get("q"), Some("sign in now"));
        assert_eq!(params.get("repo"), Some("acme/shop"));
        for absent in ["bad", "nul", "empty", "none"] {
            assert_eq!(params.get(absent), None, "{absent}");
        }
    }
}
