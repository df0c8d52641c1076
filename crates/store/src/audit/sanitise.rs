//! Takes out of a message what must not stay on disk: secrets, long texts, the contents of files.
//!
//! Each is replaced by a marker with its SHA-256, so that two lines can still be compared.

use serde_json::{Map, Value};

use super::secrets::{Looks, is_card, is_secret_key, scrub};
use super::structure::{clean_call, clean_drawn, clean_pair, clean_words, is_plural};
use crate::hash::ContentHash;

/// Texts above this length are left out.
pub(super) const LONGEST_TEXT: usize = 4096;
/// Strings under these keys are contents of files, whatever their length.
pub(super) const FILE_KEYS: [&str; 16] = [
    "content",
    "contents",
    "body",
    "blob",
    "data",
    "diff",
    "patch",
    "file_text",
    "new_content",
    "old_text",
    "new_text",
    "oldText",
    "newText",
    "nearest",
    "stdout",
    "stderr",
];
/// Inside a list under this key, these are contents of files too (`resources/read`).
const LIST_OF_FILES: &str = "contents";
const FILE_KEYS_IN_LIST: [&str; 2] = ["text", "blob"];
/// Shorter names of fields are no secrets.
const LONGEST_PLAIN_KEY: usize = 12;
/// JSON inside a string is looked into this many times.
const JSON_IN_STRINGS: usize = 6;

/// The value without secrets, long texts and contents of files.
pub fn sanitise(mut value: Value) -> Value {
    // Tool results repeat their structure as text: it is read once, and the text made again.
    let structure = structure_as_text(&value).filter(|text| text.len() <= LONGEST_TEXT);
    let is_repeated = structure.is_some_and(|structure| {
        text_of_result(&mut value).filter(|text| **text == structure).map(std::mem::take).is_some()
    });
    walk(&mut value, Inside { files: false, strings: JSON_IN_STRINGS, looks: Looks::Matter });
    if is_repeated
        && let Some(structure) = structure_as_text(&value)
        && let Some(text) = text_of_result(&mut value)
    {
        *text = structure;
    }
    value
}

/// The structure of a tool's result, as a text.
fn structure_as_text(message: &Value) -> Option<String> {
    Some(message.get("result")?.get("structuredContent")?.to_string())
}

fn text_of_result(message: &mut Value) -> Option<&mut String> {
    match message.pointer_mut("/result/content/0/text")? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A text without the secrets that can be recognised, for somebody who does not need them.
pub fn redact(text: &str) -> String {
    scrub(text, Looks::Matter, |_| "[redacted]".to_owned()).unwrap_or_else(|| text.to_owned())
}

/// Where in a message a value stands.
#[derive(Debug, Clone, Copy)]
struct Inside {
    files: bool,
    /// How many more strings may be read as JSON.
    strings: usize,
    looks: Looks,
}

/// Whether anything was taken out.
fn walk(value: &mut Value, inside: Inside) -> bool {
    match value {
        Value::Object(map) => walk_map(map, inside),
        Value::Array(items) => {
            let cleaned = clean_words(None, items);
            items.iter_mut().fold(cleaned, |changed, item| walk(item, inside) | changed)
        }
        Value::String(text) => match cleaned(text, inside) {
            Some(clean) => replace(text, clean),
            None => false,
        },
        Value::Number(number) if is_card(number.to_string().as_bytes()) => {
            *value = Value::String(redacted(&value.to_string()));
            true
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn walk_map(map: &mut Map<String, Value>, inside: Inside) -> bool {
    let mut changed = clean_pair(map) | clean_call(map);
    for (key, value) in &mut *map {
        let is_file =
            FILE_KEYS.contains(&key.as_str()) || (inside.files && FILE_KEYS_IN_LIST.contains(&key.as_str()));
        changed |= match value {
            Value::Null | Value::Bool(_) => false,
            Value::String(text) if text.is_empty() => false,
            secret if is_secret_key(key) => {
                *secret = Value::String(redacted(&as_text(secret)));
                true
            }
            Value::String(text) if is_file => {
                let marker = omitted(text);
                replace(text, marker)
            }
            other => {
                let taken = is_plural(key) && clean_drawn(other);
                let looks = if is_handle(key) { Looks::Pass } else { inside.looks };
                walk(other, Inside { files: inside.files || key == LIST_OF_FILES, looks, ..inside }) | taken
            }
        };
    }
    changed | clean_keys(map)
}

/// Whether what is kept under this name is drawn and may be seen.
fn is_handle(key: &str) -> bool {
    const ENDS: [&str; 9] =
        ["id", "cursor", "hash", "digest", "sha256", "version", "state", "traceparent", "ids"];
    let lower = key.to_ascii_lowercase();
    ENDS.iter().any(|end| lower.ends_with(end))
}

/// Secrets stand in the names of fields too, where somebody mixes them up.
fn clean_keys(map: &mut Map<String, Value>) -> bool {
    let clean = |key: &String| match key.len() {
        ..LONGEST_PLAIN_KEY => None,
        LONGEST_PLAIN_KEY..=LONGEST_TEXT => scrub(key, Looks::Matter, redacted),
        _ => Some(omitted(key)),
    };
    if map.keys().all(|key| clean(key).is_none()) {
        return false;
    }
    *map = std::mem::take(map).into_iter().map(|(key, value)| (clean(&key).unwrap_or(key), value)).collect();
    true
}

pub(super) fn replace(text: &mut String, by: String) -> bool {
    *text = by;
    true
}

/// The text without what must not stay; `None` when it may stay as it is.
fn cleaned(text: &str, inside: Inside) -> Option<String> {
    if text.len() > LONGEST_TEXT {
        return Some(omitted(text));
    }
    if inside.strings > 0 && text.starts_with(['{', '[']) {
        // Tool results repeat their structure as text.
        if let Ok(mut value) = serde_json::from_str::<Value>(text) {
            let inside = Inside { strings: inside.strings - 1, ..inside };
            return walk(&mut value, inside).then(|| value.to_string());
        }
    }
    scrub(text, inside.looks, redacted)
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn redacted(secret: &str) -> String {
    format!("[redacted, sha256:{}]", ContentHash::of(secret.as_bytes()))
}

pub(super) fn omitted(text: &str) -> String {
    format!("[omitted {} bytes, sha256:{}]", text.len(), ContentHash::of(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_found_by_their_key() {
        for key in ["password", "DB_PASSWORD", "api-key", "apiKey", "access_token", "Authorization", "token"]
        {
            let cleaned = sanitise(json!({ key: "hunter2" }));
            let text = cleaned[key].as_str().unwrap();
            assert!(text.starts_with("[redacted, sha256:"), "{key}: {text}");
        }
        let nested = sanitise(json!({ "a": [{ "credentials": { "user": "u", "pin": 1234 } }] }));
        assert!(!nested.to_string().contains("1234"));
        let number = sanitise(json!({ "a": [4_111_111_111_111_111_u64, 1_794_915_563_123_u64] }));
        assert!(number["a"][0].as_str().unwrap().starts_with("[redacted, sha256:"), "{number}");
        assert_eq!(number["a"][1], 1_794_915_563_123_u64);
    }

    #[test]
    fn secrets_are_found_among_arguments_in_pairs_and_under_plurals() {
        for value in [
            json!({ "command": "mysql", "args": ["--password", "hunter2x", "db"] }),
            json!({ "args": ["mysql", "-phunter2x", "db"] }),
            json!({ "argument": { "name": "password", "value": "hunter2x" } }),
            json!([{ "key": "API_TOKEN", "value": "hunter2x" }]),
            json!({ "secrets": { "db": "hunter2x" } }),
            json!({ "tokens": ["hunter2x"] }),
        ] {
            let cleaned = sanitise(value.clone()).to_string();
            assert!(!cleaned.contains("hunter2x") && cleaned.contains("[redacted, sha256:"), "{cleaned}");
        }
        for value in [
            json!({ "args": ["--password-file", "x"], "name": "title", "value": "Reset2Default" }),
            json!({ "args": ["test", "-p", "hewto-store", "--", "-v"] }),
        ] {
            assert_eq!(sanitise(value.clone()), value);
        }
    }

    #[test]
    fn harmless_keys_stay() {
        for value in [
            json!({ "_meta": { "progressToken": "abc" } }),
            json!({ "max_tokens": 100, "tokens": ["a"], "secret": null, "password": "" }),
            json!({ "title": "Reset the password", "next_cursor": "abc" }),
        ] {
            assert_eq!(sanitise(value.clone()), value);
        }
    }

    #[test]
    fn contents_of_files_and_long_texts_are_left_out() {
        let long = "x".repeat(4097);
        let cleaned = sanitise(json!({ "content": "# Spec", "description": long, "approach": "short" }));
        assert!(cleaned["content"].as_str().unwrap().starts_with("[omitted 6 bytes, sha256:"));
        assert!(cleaned["description"].as_str().unwrap().starts_with("[omitted 4097 bytes, sha256:"));
        assert_eq!(cleaned["approach"], "short");
        let read = sanitise(json!({ "contents": [{ "uri": "airsspec:///config", "text": "[project]" }] }));
        assert_eq!(read["contents"][0]["uri"], "airsspec:///config");
        assert!(read["contents"][0]["text"].as_str().unwrap().starts_with("[omitted"));
    }

    #[test]
    fn json_inside_a_text_is_looked_into() {
        let result =
            json!({ "content": [{ "type": "text", "text": r#"{"spec_id":"1-a","content":"body"}"# }] });
        let cleaned = sanitise(result);
        let text = cleaned["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(r#""spec_id":"1-a""#) && text.contains("[omitted 4 bytes"), "{text}");
        let plain = json!({ "content": [{ "type": "text", "text": "{ \"spaced\" : 1 }" }] });
        assert_eq!(sanitise(plain.clone()), plain);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "\\PC{0,30}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-e]{1,4}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// The value with all texts blanked.
    fn shape(value: &Value) -> Value {
        match value {
            Value::String(_) => Value::String(String::new()),
            Value::Array(items) => items.iter().map(shape).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn a_planted_secret_never_survives(
            value in any_value(),
            tail in "[A-Za-z0-9]{24,40}",
            prefix in prop::sample::select(vec!["ghp_", "sk-", "github_pat_", "Bearer 1"]),
            before in "[a-z ]{0,10}",
        ) {
            let secret = format!("{prefix}{tail}");
            let message = json!({
                "params": value,
                "note": format!("{before} {secret} and more"),
                "inner": { "api_key": tail.clone() },
                "text": json!({ "password": tail.clone() }).to_string(),
            });
            let cleaned = sanitise(message).to_string();
            prop_assert!(!cleaned.contains(&tail), "{}", cleaned);
        }

        #[test]
        fn a_result_that_repeats_its_structure_as_text_is_cleaned_as_both_are_alone(
            value in any_value(),
            secret in "[A-Za-z0-9]{24,40}",
        ) {
            let structure = json!({ "a": value, "password": secret, "note": format!("x {} y", "b".repeat(3_900)) });
            let text = structure.to_string();
            let result = |text: &str| json!({ "result": {
                "content": [{ "type": "text", "text": text }], "structuredContent": structure,
            } });
            let cleaned = sanitise(result(&text));
            let alone = sanitise(json!({ "text": text }));
            prop_assert_eq!(&cleaned["result"]["content"][0]["text"], &alone["text"]);
            prop_assert_eq!(&cleaned["result"]["structuredContent"], &sanitise(structure.clone()));
            // Another text is cleaned for itself.
            let other = sanitise(result("{\"token\":\"abc\"}"));
            prop_assert!(!other["result"]["content"][0]["text"].as_str().unwrap().contains("abc"));
        }

        #[test]
        fn only_texts_are_changed(value in any_value()) {
            prop_assert_eq!(shape(&sanitise(value.clone())), shape(&value));
        }
    }
}
