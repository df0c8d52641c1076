//! The braced notation of seed 000: `{ key: value }`, commas or line ends between pairs, quotes where wanted.

use serde_json::{Map, Value};

use super::read::MAX_DEPTH;

/// Why a text is not in this notation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte of the text.
    pub(super) at: usize,
    pub(super) message: &'static str,
}

pub(super) fn read(text: &str) -> Result<Map<String, Value>, Fault> {
    let mut cursor = Cursor { text, at: 0 };
    cursor.skip(char::is_whitespace);
    let map = cursor.map(1)?;
    cursor.skip(char::is_whitespace);
    if cursor.at < text.len() { Err(cursor.fault("there is text behind the last `}`")) } else { Ok(map) }
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn map(&mut self, depth: usize) -> Result<Map<String, Value>, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("the braces are nested too deeply"));
        }
        self.expect('{', "a `{` is missing")?;
        let mut map = Map::new();
        loop {
            self.skip(|ch| ch.is_whitespace() || ch == ',');
            if self.take('}') {
                return Ok(map);
            }
            let key = self.key()?;
            self.skip(|ch| matches!(ch, ' ' | '\t'));
            self.expect(':', "a `:` is missing behind a key")?;
            self.skip(|ch| matches!(ch, ' ' | '\t'));
            let value = self.value(depth)?;
            map.insert(key, value);
            self.skip(|ch| matches!(ch, ' ' | '\t' | '\r'));
            if !self.rest().starts_with(['\n', ',', '}']) {
                return Err(self.fault(if self.rest().is_empty() {
                    "a `}` is missing"
                } else {
                    "a comma or a line end is missing behind a value"
                }));
            }
        }
    }

    fn key(&mut self) -> Result<String, Fault> {
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let key = self.until(|ch| matches!(ch, ':' | ',' | '{' | '}' | '\n'));
        if key.is_empty() {
            return Err(self.fault(if self.rest().is_empty() {
                "a `}` is missing"
            } else {
                "a key is missing"
            }));
        }
        Ok(key.to_owned())
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        match self.rest().chars().next() {
            Some('{') => self.map(depth + 1).map(Value::Object),
            Some('"') => self.quoted().map(Value::String),
            Some('[') => self.list(depth + 1),
            _ => Ok(bare(self.until(|ch| matches!(ch, ',' | '}' | '\n')))),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("the brackets are nested too deeply"));
        }
        self.expect('[', "a `[` is missing")?;
        let mut items = Vec::new();
        loop {
            self.skip(|ch| ch.is_whitespace() || ch == ',');
            if self.take(']') {
                return Ok(Value::Array(items));
            }
            items.push(match self.rest().chars().next() {
                None => return Err(self.fault("a `]` is missing")),
                Some('{' | '"' | '[') => self.value(depth)?,
                Some(_) => bare(self.until(|ch| matches!(ch, ',' | ']' | '\n'))),
            });
        }
    }

    /// A string with the escapes of JSON.
    fn quoted(&mut self) -> Result<String, Fault> {
        let mut parts = serde_json::Deserializer::from_str(self.rest()).into_iter::<String>();
        match parts.next() {
            Some(Ok(text)) => {
                self.at += parts.byte_offset();
                Ok(text)
            }
            _ => Err(self.fault("a quoted text is not closed, or holds a wrong escape")),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at = self.text.len() - self.rest().trim_start_matches(skipped).len();
    }

    /// The text up to a character that ends it, trimmed.
    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim()
    }

    fn take(&mut self, ch: char) -> bool {
        let found = self.rest().starts_with(ch);
        if found {
            self.at += ch.len_utf8();
        }
        found
    }

    fn expect(&mut self, ch: char, message: &'static str) -> Result<(), Fault> {
        if self.take(ch) { Ok(()) } else { Err(self.fault(message)) }
    }

    fn fault(&self, message: &'static str) -> Fault {
        Fault { at: self.at, message }
    }
}

/// A bare word: null, a truth value, a number, or text.
fn bare(text: &str) -> Value {
    match text {
        "" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse::<serde_json::Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(text.to_owned()),
        },
    }
}
