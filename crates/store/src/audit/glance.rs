//! A glance at a message as it stood on the wire: whether there may be anything to take out of it but long texts.
//!
//! Most messages are harmless, and reading each as JSON would cost more than answering it. What is clean here is what
//! `sanitise` makes of it; the other way round, a harmless message is often enough taken for a doubtful one.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::sanitise::{FILE_KEYS, LONGEST_TEXT, omitted};
use super::secrets::{Case, Looks, automaton, is_invisible, may_hold_secret};

/// A list of results, which every reply has under a key that also holds contents of files.
const RESULTS: &[u8] = b"content\":[";

/// Marks of contents of files, and of ways to write anything that would need reading.
static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let keys = FILE_KEYS.iter().filter(|key| **key != "content");
    let keys = keys.flat_map(|key| [format!("{key}\""), format!("{key}\\")]);
    let escapes = ["\\/", "\\u", "\\\\"].map(str::to_owned);
    automaton(keys.chain(escapes), Case::Matters)
});

/// The message without its long texts, where there is surely nothing else to take out. That holds for JSON only.
pub(super) fn cleaned(message: &str) -> Option<Cow<'_, str>> {
    let bytes = message.as_bytes();
    let is_harmless = !MARKS.is_match(bytes)
        && !holds_file(bytes)
        && !may_hold_secret(bytes, Looks::Matter)
        && (message.is_ascii() || !message.chars().any(is_invisible));
    is_harmless.then(|| shortened(message))?
}

/// The message without its long texts; `None` when it is no JSON after all.
fn shortened(message: &str) -> Option<Cow<'_, str>> {
    if message.len() <= LONGEST_TEXT {
        return Some(Cow::Borrowed(message));
    }
    let mut short = String::new();
    let (mut copied, mut from) = (0, 0);
    while let Some(begin) = memchr::memchr(b'"', &message.as_bytes()[from..]).map(|at| from + at) {
        let end = end_of_string(message.as_bytes(), begin)?;
        from = end;
        if end - begin > LONGEST_TEXT {
            let text: String = serde_json::from_str(&message[begin..end]).ok()?;
            if text.len() > LONGEST_TEXT {
                short.push_str(&message[copied..begin]);
                short.push('"');
                short.push_str(&omitted(&text));
                short.push('"');
                copied = end;
            }
        }
    }
    short.push_str(&message[copied..]);
    Some(Cow::Owned(short))
}

/// Behind the quote that ends the string which begins at one.
fn end_of_string(message: &[u8], begin: usize) -> Option<usize> {
    let mut from = begin + 1;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', message.get(from..)?)?;
        if message[at] == b'"' {
            return Some(at + 1);
        }
        from = at + 2;
    }
}

/// Whether `content` is anything but a list of results.
fn holds_file(message: &[u8]) -> bool {
    memchr::memmem::find_iter(message, "content").any(|at| {
        let from_there = &message[at..];
        matches!(from_there.get("content".len()), Some(b'"' | b'\\')) && !from_there.starts_with(RESULTS)
    })
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
            ("[a-z\"\n ü]{1,4}", 1_000_usize..3_000).prop_map(|(piece, times)| piece.repeat(times)),
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
        fn what_is_clean_at_a_glance_is_what_is_left_of_the_message(message in any_message()) {
            let text = message.to_string();
            if let Some(cleaned) = cleaned(&text) {
                prop_assert_eq!(cleaned, sanitise(message).to_string());
            }
        }
    }

    /// Found at random: whatever stands behind a short name and is no letter ends it.
    #[test]
    fn a_short_name_ends_before_any_sign() {
        for key in ["Pw\u{1d4c5}", "pw-", "my.pwd_", "Pass\u{e9}"] {
            let message = format!("{{\"{key}\":\"hunter2\"}}");
            let is_secret = super::super::secrets::is_secret_key(key);
            assert!(!is_secret || cleaned(&message).is_none(), "{key}");
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
            let text = message.to_string();
            assert_eq!(cleaned(&text).as_deref(), Some(text.as_str()));
        }
    }

    #[test]
    fn long_texts_and_long_names_are_left_out() {
        let long = "a \"quoted\" line\n".repeat(300);
        let message =
            json!({ "text": long, "list": [long, "short", 1], &long: { "inner": long }, "last": "x" });
        let text = message.to_string();
        assert_eq!(cleaned(&text).unwrap(), sanitise(message.clone()).to_string());
        assert!(!cleaned(&text).unwrap().contains("quoted"), "nobody looks for secrets in a megabyte");
        let spaced = serde_json::to_string_pretty(&message).unwrap();
        let read: Value = serde_json::from_str(&cleaned(&spaced).unwrap()).unwrap();
        assert_eq!(read, sanitise(message));
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
            json!({ "run": "mysql\t-psecret -v" }),
            json!({ "long": "x".repeat(4097), "password": "x" }),
        ] {
            assert_ne!(sanitise(message.clone()), message);
            assert_eq!(cleaned(&message.to_string()), None, "{message}");
        }
    }
}
