//! A look at a message before it is read: what it is, what it asks for, and how much it would take to read it.
//!
//! As values, JSON takes up to seventy times its size. So who may ask, how fast and how much is decided here, on the bytes,
//! and nothing is copied but a few short names.

#![expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]

use hewto_http::Refusal;
use hyper::StatusCode;
use rmcp::model::{ErrorData, RequestId};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::refusal::refusal;

/// A message may be large only where it carries documents, or answers a question.
const MAX_OTHER_BYTES: usize = 64 * 1024;
/// What `initialize` and `server/discover` may say of a client, and what `_meta` may hold.
const MAX_HANDSHAKE_BYTES: usize = 8 * 1024;
/// The most values in one message; each takes far more memory than its bytes.
const MAX_VALUES: usize = 50_000;
/// What a value takes in memory, about.
const BYTES_PER_VALUE: usize = 256;
/// Longer names belong to nothing.
const LONGEST_NAME: usize = 512;

/// What a message turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Request(Option<RequestId>),
    Notification,
    Response,
}

/// The outside of a message.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) kind: Kind,
    pub(super) method: Option<String>,
    /// The tool of a call.
    pub(super) tool: Option<String>,
    params_bytes: usize,
    meta_bytes: usize,
    bytes: usize,
    values: usize,
}

#[derive(Deserialize)]
struct Outside<'m> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct Params<'m> {
    #[serde(borrow, default, deserialize_with = "present")]
    name: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "present", rename = "_meta")]
    meta: Option<&'m RawValue>,
}

/// A null that is there is not the same as nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Envelope {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(bytes).map_err(not_json)?;
        if !text.trim_start().starts_with('{') {
            // Only a short one is worth a close look, at the letters too.
            if text.len() <= MAX_OTHER_BYTES {
                serde_json::from_str::<serde_json::Value>(text).map(drop).map_err(not_json)?;
            } else {
                serde_json::from_str::<serde::de::IgnoredAny>(text).map(drop).map_err(not_json)?;
            }
            let message = "a message must be a JSON object, and one at a time";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", message));
        }
        let outside: Outside<'_> = serde_json::from_str(text).map_err(malformed)?;
        let params = outside.params.map_or("", RawValue::get);
        let inside: Option<Params<'_>> = if params.starts_with('{') {
            Some(serde_json::from_str(params).map_err(malformed)?)
        } else {
            None
        };
        let method = outside.method.and_then(short_text);
        let kind = match (outside.method, outside.id) {
            (Some(_), None) => Kind::Notification,
            (None, _) if outside.result.is_some() || outside.error.is_some() => Kind::Response,
            (_, id) => Kind::Request(id.and_then(request_id)),
        };
        let name = inside.as_ref().and_then(|inside| inside.name).and_then(short_text);
        Ok(Self {
            kind,
            tool: name.filter(|_| method.as_deref() == Some("tools/call")),
            method,
            params_bytes: params.len(),
            meta_bytes: inside.and_then(|inside| inside.meta).map_or(0, |meta| meta.get().len()),
            bytes: text.len(),
            values: count_values(bytes),
        })
    }

    /// The id of the request, where it has one.
    pub(super) fn id(&self) -> Option<&RequestId> {
        match &self.kind {
            Kind::Request(id) => id.as_ref(),
            Kind::Notification | Kind::Response => None,
        }
    }

    /// Refuses what is too large for what it is.
    pub(super) fn check_size(&self) -> Result<(), Refusal> {
        let method = self.method.as_deref().unwrap_or_default();
        if matches!(method, "initialize" | "server/discover") && self.params_bytes > MAX_HANDSHAKE_BYTES {
            return Err(too_large(
                "handshake_too_large",
                format!("a handshake may have {MAX_HANDSHAKE_BYTES} bytes at most"),
            ));
        }
        if self.meta_bytes > MAX_HANDSHAKE_BYTES {
            return Err(too_large(
                "meta_too_large",
                format!("`_meta` may have {MAX_HANDSHAKE_BYTES} bytes at most"),
            ));
        }
        let is_document = matches!(method, "tools/call" | "prompts/get") || self.kind == Kind::Response;
        if !is_document && self.bytes > MAX_OTHER_BYTES {
            return Err(too_large(
                "message_too_large",
                format!("a message of this method may have {MAX_OTHER_BYTES} bytes at most"),
            ));
        }
        if self.values > MAX_VALUES {
            return Err(too_large(
                "message_too_large",
                format!("a message may have {MAX_VALUES} values at most"),
            ));
        }
        Ok(())
    }

    /// The memory that reading it takes, about.
    pub(super) fn cost(&self) -> usize {
        self.values * BYTES_PER_VALUE
    }

    /// What the wire log keeps of a call that is refused.
    pub(super) fn summary(&self) -> String {
        let params = self.tool.as_ref().map(|name| json!({ "name": name }));
        json!({ "jsonrpc": "2.0", "id": self.id(), "method": self.method, "params": params }).to_string()
    }
}

fn request_id(id: &RawValue) -> Option<RequestId> {
    if id.get().len() > LONGEST_NAME { None } else { serde_json::from_str(id.get()).ok() }
}

fn short_text(text: &RawValue) -> Option<String> {
    if text.get().len() > LONGEST_NAME { None } else { serde_json::from_str(text.get()).ok() }
}

/// How many values a text of JSON has, at most one too many for each object.
fn count_values(text: &[u8]) -> usize {
    let mut values = 1;
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

/// Either no JSON, or JSON in which a name that decides something appears twice.
fn malformed(error: serde_json::Error) -> Refusal {
    if error.is_data() {
        let message = format!("this message cannot be read: {error}");
        Refusal::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    } else {
        not_json(error)
    }
}

pub(super) fn not_json(error: impl std::fmt::Display + 'static) -> Refusal {
    let data = json!({ "error": "parse_error" });
    let error = ErrorData::parse_error(format!("this body is not valid JSON: {error}"), Some(data));
    refusal(StatusCode::BAD_REQUEST, error)
}

fn too_large(key: &str, message: String) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, key, message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_outside_says_what_a_message_is() {
        let of = |text: &str| Envelope::of(text.as_bytes()).unwrap();
        let call =
            of(r#" {"id":7,"method":"tools\/call","params":{"name":"spec_list","arguments":{"name":"x"}}}"#);
        assert_eq!(call.kind, Kind::Request(Some(RequestId::Number(7))));
        assert_eq!((call.method.as_deref(), call.tool.as_deref()), (Some("tools/call"), Some("spec_list")));
        assert_eq!(of(r#"{"method":"x"}"#).kind, Kind::Notification);
        assert_eq!(of(r#"{"method":"x","id":null}"#).kind, Kind::Request(None));
        assert_eq!(of(r#"{"id":1,"result":{}}"#).kind, Kind::Response);
        assert_eq!(of(r#"{"id":1,"method":"prompts/get","params":{"name":"p"}}"#).tool, None);
    }

    #[test]
    fn a_name_that_appears_twice_is_refused_rather_than_chosen() {
        for text in [
            r#"{"method":"ping","method":"tools/call","id":1}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            "[1]",
            "7",
        ] {
            assert_eq!(Envelope::of(text.as_bytes()).unwrap_err().data["error"], "invalid_request", "{text}");
        }
        for text in ["", "{", "[", r#"{"method":}"#, "\u{0}"] {
            assert_eq!(Envelope::of(text.as_bytes()).unwrap_err().data["error"], "parse_error", "{text}");
        }
    }

    #[test]
    fn what_is_large_without_need_is_refused() {
        let check = |message: Value| {
            let refused = Envelope::of(message.to_string().as_bytes()).unwrap().check_size().err();
            refused.map(|refused| refused.data["error"].clone())
        };
        let long = |bytes: usize| "x".repeat(bytes);
        assert_eq!(check(json!({ "id": 1, "method": "initialize", "params": { "a": long(4_000) } })), None);
        assert_eq!(
            check(json!({ "id": 1, "method": "initialize", "params": { "a": long(9_000) } })),
            Some("handshake_too_large".into())
        );
        assert_eq!(
            check(json!({ "id": 1, "method": "tools/call", "params": { "_meta": { "a": long(9_000) } } })),
            Some("meta_too_large".into())
        );
        let arguments = json!({ "arguments": { "a": long(1_000_000) } });
        assert_eq!(check(json!({ "id": 1, "method": "tools/call", "params": arguments })), None);
        assert_eq!(
            check(json!({ "id": 1, "method": "subscriptions/listen", "params": { "a": long(70_000) } })),
            Some("message_too_large".into())
        );
        let many = vec![json!({}); MAX_VALUES];
        assert_eq!(
            check(json!({ "id": 1, "method": "tools/call", "params": { "arguments": many } })),
            Some("message_too_large".into())
        );
    }

    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
            Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
            _ => 1,
        }
    }

    proptest! {
        #[test]
        fn no_value_goes_uncounted(text in "\\PC{0,20}", numbers in proptest::collection::vec(any::<i32>(), 0..9)) {
            let value = json!({ &text: [&numbers, { "a\"\\": text, "b": [] }], "c": numbers });
            prop_assert!(count_values(value.to_string().as_bytes()) >= count(&value));
        }
    }
}
