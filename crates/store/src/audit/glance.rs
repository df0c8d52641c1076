//! A glance at a message as it stood on the wire: whether there may be anything to take out of it but long texts.
//!
//! Most messages are harmless, and reading each as JSON would cost more than answering it. What is clean here is what
//! `sanitise` makes of it; the other way round, a harmless message is often enough taken for a doubtful one.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::sanitise::{FILE_KEYS, LONGEST_TEXT, omitted};
use super::secrets::{
    KEY_PREFIXES, SCHEMES, SECRET_ADDRESSES, SECRET_NAMES, SHORT_NAMES, is_invisible, is_twilio_key,
    may_hold_drawn,
};

/// A list of results, which every reply has under a key that also holds contents of files.
const RESULTS: &[u8] = b"content\":[";

/// Marks of secrets, of contents of files, and of ways to write them that would need reading.
static MARKS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let keys = FILE_KEYS.iter().filter(|key| **key != "content");
    let keys = keys.flat_map(|key| [format!("{key}\""), format!("{key}\\")]);
    let prefixes = KEY_PREFIXES.iter().map(|(prefix, _)| (*prefix).to_owned());
    let others = ["eyJ", "-----BEGIN ", "Private-Lines:", "://", "\\/", "\\u", "\\\\"].map(str::to_owned);
    let more = SECRET_ADDRESSES.into_iter().chain([" -p", " -a", " -w", " -u", " -U", " --user"]);
    AhoCorasick::new(keys.chain(prefixes).chain(others).chain(more.map(str::to_owned)))
        .expect("few and short patterns")
});

/// What is recognised in capitals too.
static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| regardless_of_case(&SCHEMES));
/// Short names of secrets, which are names where no letter follows.
static SHORT: LazyLock<AhoCorasick> = LazyLock::new(|| regardless_of_case(&SHORT_NAMES));

fn regardless_of_case(words: &[&str]) -> AhoCorasick {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("few and short patterns")
}

/// Names of secrets, among letters and digits alone.
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(SECRET_NAMES.into_iter().chain(["basic"])).expect("few and short patterns")
});

/// The message without its long texts, where there is surely nothing else to take out. That holds for JSON only.
pub(super) fn cleaned(message: &str) -> Option<Cow<'_, str>> {
    let bytes = message.as_bytes();
    let is_harmless = !MARKS.is_match(bytes)
        && !WORDS.is_match(bytes)
        && !holds_short_name(bytes)
        && !holds_file(bytes)
        && !NAMES.is_match(&letters(bytes))
        && !may_hold_drawn(bytes)
        && (message.is_ascii() || !message.chars().any(is_invisible))
        && !holds_bot_token(bytes)
        && !memchr::memmem::find_iter(bytes, b"SK").any(|at| is_twilio_key(&bytes[at..]));
    is_harmless.then(|| shortened(message))?
}

fn holds_short_name(message: &[u8]) -> bool {
    let is_followed = |end: usize| message.get(end).is_some_and(u8::is_ascii_alphanumeric);
    SHORT.find_overlapping_iter(message).any(|name| !is_followed(name.end()))
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
        let is_key = || message[end..].trim_ascii_start().starts_with(':');
        if end - begin > LONGEST_TEXT && !is_key() {
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

/// Whether there may be a number, a colon and a long word, which is how some tokens are written.
fn holds_bot_token(message: &[u8]) -> bool {
    memchr::memchr_iter(b':', message).any(|at| {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        message[at + 1..].iter().take_while(is_word).count() >= 30
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
    fn long_texts_are_left_out_and_long_names_stay() {
        let long = "a \"quoted\" line\n".repeat(300);
        let message =
            json!({ "text": long, "list": [long, "short", 1], &long: { "inner": long }, "last": "x" });
        let text = message.to_string();
        assert_eq!(cleaned(&text).unwrap(), sanitise(message.clone()).to_string());
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
            json!({ "long": "x".repeat(4097), "password": "x" }),
        ] {
            assert_ne!(sanitise(message.clone()), message);
            assert_eq!(cleaned(&message.to_string()), None, "{message}");
        }
    }
}
