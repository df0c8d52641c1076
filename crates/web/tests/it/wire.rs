//! What goes over the wire: forms, fields, chunks and events.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;

/// The events of an open page.
pub(crate) struct Events(pub(crate) BufReader<TcpStream>);

impl Events {
    /// Reads until a line says so, or the events end.
    pub(crate) fn wait_for(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(self.0.read_line(&mut line).expect("an event") > 0, "no event says {words}");
        }
    }

    /// Reads to the end, which has to come.
    pub(crate) fn wait_for_end(mut self) {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).expect("the events end");
    }
}

pub(crate) fn encode(text: &str) -> String {
    text.bytes()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            },
        )
        .collect()
}

/// The value of a hidden field of a form.
pub(crate) fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let start = page.find(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("no field {name}"));
    let value = &page[start..];
    let value = value.split_once("value=\"").expect("a value").1;
    value.split_once('"').expect("which ends").0
}

pub(crate) fn unchunked(body: &str) -> String {
    let (mut rest, mut out) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || after.len() < size {
            break;
        }
        out += &after[..size];
        rest = after[size..].trim_start_matches("\r\n");
    }
    out
}
