//! Secrets that only show by what stands beside them in a message: words of a command, a name and its value, lists of several.

use serde_json::{Map, Value};

use super::sanitise::{redacted, replace};
use super::secrets::{in_commands, is_secret_key, looks_random};

/// Longer lists are no command.
const MOST_WORDS: usize = 256;
/// Longer texts are no names.
const LONGEST_NAME: usize = 64;

/// `{"command": "mysql", "args": ["-psecret"]}`.
pub(super) fn clean_call(map: &mut Map<String, Value>) -> bool {
    let program = ["command", "program", "cmd"].iter().find_map(|field| map.get(*field)?.as_str());
    let Some(program) = program.filter(|program| program.len() < LONGEST_NAME).map(str::to_owned) else {
        return false;
    };
    let lists = ["args", "arguments", "argv"];
    lists.iter().fold(false, |changed, field| match map.get_mut(*field) {
        Some(Value::Array(items)) => clean_words(Some(&program), items) | changed,
        _ => changed,
    })
}

/// A list may be the words of a command: `["mysql", "-psecret"]`, `["--password", "secret"]`.
pub(super) fn clean_words(program: Option<&str>, items: &mut [Value]) -> bool {
    let is_option = |item: &Value| item.as_str().is_some_and(|word| word.starts_with('-'));
    if items.len() > MOST_WORDS || !items.iter().any(is_option) {
        return false;
    }
    // Options count behind a program only.
    let mut line = program.unwrap_or("-").to_owned();
    let mut words = Vec::with_capacity(items.len());
    for item in items.iter() {
        let Some(word) = item.as_str().filter(|word| !word.contains(char::is_whitespace)) else {
            return false;
        };
        line.push(' ');
        words.push(line.len()..line.len() + word.len());
        line.push_str(word);
    }
    let mut spans = in_commands(&line);
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    // Spans that overlap are one: what was replaced has another length.
    spans.dedup_by(|earlier, later| {
        let overlaps = earlier.end > later.start;
        if overlaps {
            *later = earlier.start..later.end.max(earlier.end);
        }
        overlaps
    });
    let mut changed = false;
    for (item, place) in items.iter_mut().zip(words) {
        let Value::String(word) = item else { continue };
        for span in spans.iter().filter(|span| span.start < place.end && span.end > place.start) {
            let (from, to) =
                (span.start.max(place.start) - place.start, span.end.min(place.end) - place.start);
            let secret = word[from..to].to_owned();
            word.replace_range(from..to, &redacted(&secret));
            changed = true;
        }
    }
    changed
}

/// `{"name": "password", "value": …}`: what is kept under a name that another field tells.
pub(super) fn clean_pair(map: &mut Map<String, Value>) -> bool {
    let is_secret_name = |name: &str| name.len() < LONGEST_NAME && is_secret_key(name);
    let name = |field: &&str| map.get(*field).and_then(Value::as_str).is_some_and(is_secret_name);
    if !["name", "key"].iter().any(name) {
        return false;
    }
    ["value", "default"].iter().fold(false, |changed, field| match map.get_mut(*field) {
        Some(Value::String(text)) if !text.is_empty() && !text.starts_with("[redacted") => {
            replace(text, redacted(text))
        }
        _ => changed,
    })
}

/// Whether several secrets are kept under this name, among things that may be none: `tokens`, `secrets`.
pub(super) fn is_plural(key: &str) -> bool {
    key.strip_suffix(['s', 'S']).is_some_and(is_secret_key)
}

/// Takes out every word that looks like a secret, wherever it stands below.
pub(super) fn clean_drawn(value: &mut Value) -> bool {
    match value {
        Value::String(text) if looks_random(text) && !text.contains(' ') => replace(text, redacted(text)),
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| clean_drawn(item) | changed),
        Value::Object(map) => map.values_mut().fold(false, |changed, item| clean_drawn(item) | changed),
        _ => false,
    }
}
