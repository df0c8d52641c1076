//! A glance at a message as it stood on the wire: whether there may be anything to take out of it.
//!
//! Most messages are small and harmless, and reading each as JSON would cost more than answering it. What is clean here
//! is left as it is by `sanitise`; the other way round, a harmless message is often enough taken for a doubtful one.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::sanitise::{FILE_KEYS, LONGEST_TEXT};
use super::secrets::{KEY_PREFIXES, SECRET_NAMES};

/// A list of results, which every reply has under a key that also holds contents of files.
const RESULTS: &[u8] = b"content\":[";

/// Marks of secrets, of contents of files, and of ways to write them that would need reading.
static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let keys = FILE_KEYS.iter().filter(|key| **key != "content");
    let keys = keys.flat_map(|key| [format!("{key}\""), format!("{key}\\")]);
    let prefixes = KEY_PREFIXES.iter().map(|(prefix, _)| (*prefix).to_owned());
    let others = ["eyJ", "-----BEGIN ", "://", "\\/", "\\u", "\\\\"].map(str::to_owned);
    AhoCorasick::new(keys.chain(prefixes).chain(others)).expect("few and short patterns")
});

/// Names of secrets, among letters and digits alone.
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(SECRET_NAMES.into_iter().chain(["basic"])).expect("few and short patterns")
});

/// Whether there is surely nothing to take out. `message` has to be JSON.
pub(super) fn is_clean(message: &[u8]) -> bool {
    message.len() <= LONGEST_TEXT
        && !MARKS.is_match(message)
        && !holds_file(message)
        && !NAMES.is_match(&letters(message))
}

/// Whether `content` is anything but a list of results.
fn holds_file(message: &[u8]) -> bool {
    memchr::memmem::find_iter(message, "content").any(|at| {
        let from_there = &message[at..];
        matches!(from_there.get("content".len()), Some(b'"' | b'\\')) && !from_there.starts_with(RESULTS)
    })
}

/// Letters and digits, small, without escapes: names are compared so.
fn letters(message: &[u8]) -> Vec<u8> {
    let mut letters = Vec::with_capacity(message.len());
    let mut bytes = message.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            byte if byte.is_ascii_alphanumeric() => letters.push(byte.to_ascii_lowercase()),
            _ => {}
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::audit::sanitise::sanitise;

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "\\PC{0,20}",
            "[a-z ]{0,10}",
            prop::sample::select(vec![
                "pass_word",
                "api\tkey",
                "pwd=x",
                "to\nken: a1b2c3d4",
                "Basic dXNlcjpwYXNz",
                "x: y",
                "a=b",
                "https://u:p@h",
                "AKIAIOSFODNN7EXAMPLE",
                "-----BEGIN PRIVATE KEY-----",
                "\\",
                "\"",
                "content",
            ])
            .prop_map(str::to_owned),
        ]
    }

    fn any_message() -> impl Strategy<Value = Value> {
        let key = prop_oneof![
            text(),
            prop::sample::select(vec!["content", "contents", "text", "data", "token", "id", "type", "diff"])
                .prop_map(str::to_owned),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            text().prop_map(Value::from),
            (text(), text()).prop_map(|(key, text)| json!({ key: text }).to_string().into()),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key.clone(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn what_is_clean_at_a_glance_is_left_as_it_is(message in any_message()) {
            if is_clean(message.to_string().as_bytes()) {
                prop_assert_eq!(sanitise(message.clone()), message);
            }
        }
    }

    #[test]
    fn a_usual_call_and_its_reply_are_clean() {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "spec_status", "arguments": { "spec_id": "1737734400-login" },
        } });
        let view = json!({ "spec_id": "1737734400-login", "title": "The login", "lifecycle_state": "draft" });
        let reply = json!({ "jsonrpc": "2.0", "id": 1, "result": {
            "content": [{ "type": "text", "text": view.to_string() }], "structuredContent": view,
        } });
        for message in [call, reply] {
            assert!(is_clean(message.to_string().as_bytes()), "{message}");
        }
    }

    #[test]
    fn whatever_has_something_to_take_out_is_not_clean() {
        for message in [
            json!({ "content": "# Spec" }),
            json!({ "api-key": 1 }),
            json!({ "a": { "Pass Word": "x" } }),
            json!({ "text": json!({ "password": "x" }).to_string() }),
            json!({ "text": json!({ "diff": "x" }).to_string() }),
            json!({ "note": "use ghp_0123456789abcdefghijklmnopqrstuvwxyz now" }),
            json!({ "contents": [{ "uri": "x", "text": "y" }] }),
            json!({ "long": "x".repeat(4097) }),
        ] {
            assert_ne!(sanitise(message.clone()), message);
            assert!(!is_clean(message.to_string().as_bytes()), "{message}");
        }
    }
}
