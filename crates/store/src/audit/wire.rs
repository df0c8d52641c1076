//! The wire log: one line per request and response, in a daily file and in one file per session.

use jiff::Timestamp;
use serde::Serializer as _;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::glance::cleaned;
use super::sanitise::sanitise;
use crate::context::rfc3339_millis;
use crate::hash::ContentHash;

/// A message that is longer without its long texts is many short ones; only how long it was stays.
const LONGEST_LINE: usize = 256 * 1024;

/// The version of JSON-RPC, as a field.
const VERSION: &str = r#""jsonrpc":"2.0""#;

/// Longest session name that is used as it is in a file name.
const LONGEST_NAME: usize = 80;

/// Whose message it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditIdentity {
    /// A process on stdio, a session of the old era, or a principal (D-7).
    pub session_id: String,
    /// Nobody in particular on stdio: whoever started the process.
    pub principal: Option<String>,
}

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireKind {
    Request,
    Response,
    /// Turned away at the door: there is no message, only what is known of the attempt.
    Refused,
}

impl WireKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Refused => "refused",
        }
    }
}

/// The line for a message: its fields without `jsonrpc`, after the time, the kind and the principal, if there is one.
pub(super) fn line(at: Timestamp, kind: WireKind, principal: Option<&str>, message: &[u8]) -> Vec<u8> {
    let line = whole_line(at, kind, principal, message);
    if line.len() <= LONGEST_LINE {
        return line;
    }
    let mut short = head(at, kind, principal);
    if let Ok(Value::Object(fields)) = serde_json::from_slice(&line) {
        let names = ["id", "method"];
        short.extend(fields.into_iter().filter(|(key, _)| names.contains(&key.as_str())));
    }
    short.insert("message".to_owned(), super::sanitise::omitted(&String::from_utf8_lossy(message)).into());
    let mut line = serde_json::to_vec(&short).expect("JSON is written to memory");
    line.push(b'\n');
    line
}

fn whole_line(at: Timestamp, kind: WireKind, principal: Option<&str>, message: &[u8]) -> Vec<u8> {
    if let Some(fields) = clean_fields(message) {
        let mut line = serde_json::to_vec(&head(at, kind, principal)).expect("JSON is written to memory");
        line.pop();
        line.push(b',');
        line.extend_from_slice(fields.as_bytes());
        line.push(b'\n');
        return line;
    }
    let fields = match serde_json::from_slice(message).map(sanitise) {
        Ok(Value::Object(fields)) => fields,
        Ok(other) => Map::from_iter([("message".to_owned(), other)]),
        Err(_) => Map::new(),
    };
    let rest = fields.iter().map(|(key, value)| (key.as_str(), value)).filter(|(key, _)| *key != "jsonrpc");
    let head = head(at, kind, principal);
    let head = head.iter().map(|(key, value)| (key.as_str(), value));
    let mut line = serde_json::Serializer::new(Vec::with_capacity(message.len() + 128));
    line.collect_map(head.chain(rest)).expect("JSON is written to memory");
    let mut line = line.into_inner();
    line.push(b'\n');
    line
}

fn head(at: Timestamp, kind: WireKind, principal: Option<&str>) -> Map<String, Value> {
    let fields = [
        ("timestamp", Some(rfc3339_millis(at).into())),
        ("type", Some(kind.as_str().into())),
        ("principal", principal.map(Value::from)),
    ];
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// The fields of a message from which nothing has to be taken but long texts, with the brace behind them. `None` where
/// that is not certain.
fn clean_fields(message: &[u8]) -> Option<String> {
    let is_one_line = !message.iter().any(u8::is_ascii_control);
    let message = std::str::from_utf8(message).ok().filter(|_| is_one_line)?;
    let cleaned = cleaned(message)?;
    let fields = without_version(&cleaned)?;
    serde_json::from_str::<IgnoredAny>(message).ok()?;
    Some(fields)
}

/// The fields of a message without its version, where that surely is a field of the message itself: no other object or list stands
/// before it, or none behind it. Clients write it first, last, or in the order of the alphabet.
fn without_version(message: &str) -> Option<String> {
    let (before, after) = message.strip_prefix('{')?.split_once(VERSION)?;
    let has_none = |part: &str| !part.bytes().any(|byte| b"{}[]".contains(&byte));
    if !has_none(before) && !after.strip_suffix('}').is_some_and(has_none) {
        return None;
    }
    match before.strip_suffix(',') {
        Some(before) => Some([before, after].concat()),
        None if before.is_empty() => after.strip_prefix(',').map(str::to_owned),
        None => None,
    }
}

/// The file of a day in UTC.
pub(super) fn daily_name(at: Timestamp) -> String {
    format!("{}.jsonl", at.strftime("%Y-%m-%d"))
}

/// The file of a session. A principal's name may hold anything; such a name is hashed.
pub(super) fn session_name(session: &str) -> String {
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || ch == '-' || ch == '_';
    if !session.is_empty() && session.len() <= LONGEST_NAME && session.chars().all(is_plain) {
        format!("session-{session}.jsonl")
    } else {
        format!("session-{}.jsonl", ContentHash::of(session.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_kind_and_the_message_without_its_version() {
        let at = "2026-01-24T14:30:00.123456Z".parse().unwrap();
        let message = br#"{ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }"#;
        assert_eq!(
            String::from_utf8(line(at, WireKind::Request, None, message)).unwrap(),
            "{\"timestamp\":\"2026-01-24T14:30:00.123Z\",\"type\":\"request\",\"id\":1,\"method\":\"tools/list\"}\n"
        );
        let compact = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let last = br#"{"id":1,"method":"tools/list","jsonrpc":"2.0"}"#;
        let between = br#"{"id":1,"jsonrpc":"2.0","method":"tools/list"}"#;
        for principal in [None, Some("alice")] {
            let lines = [&message[..], compact, last, between]
                .map(|message| line(at, WireKind::Request, principal, message));
            assert!(lines.iter().all(|line| *line == lines[0]), "{lines:?}");
        }
        let torn = line(at, WireKind::Request, None, br#"{"jsonrpc":"2.0","id":1,"method":"#);
        assert!(torn.ends_with(b"\"type\":\"request\"}\n"));
        let told = String::from_utf8(line(at, WireKind::Request, Some("alice"), message)).unwrap();
        assert!(told.contains("\"type\":\"request\",\"principal\":\"alice\",\"id\":1"), "{told}");
    }

    #[test]
    fn only_the_version_of_the_message_itself_is_left_out_and_none_needs_its_json_to_be_read() {
        let fast = |message: &str| clean_fields(message.as_bytes());
        let inner = r#"{"a":{"jsonrpc":"2.0","b":[1]}}"#;
        for (message, fields) in [
            (r#"{"jsonrpc":"2.0","id":1,"params":{}}"#, Some(r#""id":1,"params":{}}"#)),
            (
                r#"{"method":"x","params":{"a":[1]},"jsonrpc":"2.0","id":7}"#,
                Some(r#""method":"x","params":{"a":[1]},"id":7}"#),
            ),
            (r#"{"params":{"a":1},"jsonrpc":"2.0"}"#, Some(r#""params":{"a":1}}"#)),
            (r#"{"id":1,"jsonrpc":"2.0","params":{"a":1}}"#, Some(r#""id":1,"params":{"a":1}}"#)),
            // Somebody else's, and where it is not certain whose.
            (inner, None),
            (r#"{"a":{"x":1},"jsonrpc":"2.0","b":{}}"#, None),
            (r#"{"a":[{"jsonrpc":"2.0"}]}"#, None),
            (r#"{"jsonrpc":"2.0"}"#, None),
        ] {
            assert_eq!(fast(message).as_deref(), fields, "{message}");
        }
        let at = "2026-01-24T14:30:00Z".parse().unwrap();
        let told = String::from_utf8(line(at, WireKind::Request, None, inner.as_bytes())).unwrap();
        assert!(told.contains(&inner[1..]), "{told}");
    }

    #[test]
    fn file_names_follow_the_day_and_the_session() {
        assert_eq!(daily_name("2026-01-24T23:59:59.999Z".parse().unwrap()), "2026-01-24.jsonl");
        assert_eq!(session_name("abc-123"), "session-abc-123.jsonl");
        for odd in ["", "../x", "user@example.com", &"x".repeat(81)] {
            let name = session_name(odd);
            assert_eq!(name.len(), "session-".len() + 64 + ".jsonl".len(), "{odd}");
        }
    }
}
