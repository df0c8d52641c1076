//! Arguments as models spell them where they mean what the schema says: other cases of a name, JSON within a text, one text for
//! a list of them.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Writes names and values as the schema has them, where only one thing can be meant; all else stays for the check.
pub(super) fn respell(schema: &Value, arguments: &mut JsonObject) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for name in arguments.keys().cloned().collect::<Vec<_>>() {
        if properties.contains_key(&name) {
            continue;
        }
        let mut meant = properties.keys().filter(|known| folded(known) == folded(&name));
        if let (Some(known), None) = (meant.next(), meant.next())
            && !arguments.contains_key(known)
            && let Some(value) = arguments.shift_remove(&name)
        {
            arguments.insert(known.clone(), value);
        }
    }
    for (name, value) in arguments {
        if let Some(schema) = properties.get(name) {
            unpack(schema, value);
        }
    }
}

/// An object or a list that was sent as its text, and one text where several are expected.
fn unpack(schema: &Value, value: &mut Value) {
    let Value::String(text) = value else { return };
    let wanted = schema["type"].as_str().unwrap_or_default();
    if !matches!(wanted, "object" | "array") {
        return;
    }
    match serde_json::from_str::<Value>(text) {
        // `deltas` may be a list too.
        Ok(inner @ (Value::Object(_) | Value::Array(_))) => *value = inner,
        _ if wanted == "array" && schema["items"]["type"] == "string" => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            *value = lines.collect();
        }
        _ => {}
    }
}

/// A name as it compares: `specId`, `spec-id` and `spec_id` are one.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn respelled(arguments: Value) -> Value {
        let schema = json!({ "properties": {
            "spec_id": { "type": "string" },
            "deltas": { "type": "object" },
            "tasks": { "type": "array", "items": { "type": "string" } },
            "steps": { "type": "array", "items": { "type": "object" } },
        }});
        let Value::Object(mut arguments) = arguments else { panic!("an object") };
        respell(&schema, &mut arguments);
        Value::Object(arguments)
    }

    #[test]
    fn what_can_only_mean_one_thing_is_read_as_that() {
        assert_eq!(respelled(json!({ "specId": "a" })), json!({ "spec_id": "a" }));
        assert_eq!(respelled(json!({ "Spec-ID": "a" })), json!({ "spec_id": "a" }));
        assert_eq!(respelled(json!({ "deltas": "{\"a\": {}}" })), json!({ "deltas": { "a": {} } }));
        assert_eq!(respelled(json!({ "steps": "[{\"title\": 1}]" })), json!({ "steps": [{ "title": 1 }] }));
        assert_eq!(respelled(json!({ "tasks": "one" })), json!({ "tasks": ["one"] }));
        assert_eq!(respelled(json!({ "tasks": "- one\n\n- two\n" })), json!({ "tasks": ["- one", "- two"] }));
        assert_eq!(respelled(json!({ "tasks": "[\"one\", \"two\"]" })), json!({ "tasks": ["one", "two"] }));
    }

    #[test]
    fn what_could_mean_something_else_stays_for_the_check() {
        for odd in [
            json!({ "spec_id": "a", "specId": "b" }),
            json!({ "deltas": "## ADDED Requirements" }),
            json!({ "deltas": "{half" }),
            json!({ "steps": "one" }),
            json!({ "spec_id": "{\"a\": 1}" }),
            json!({ "tasks": 1 }),
        ] {
            assert_eq!(respelled(odd.clone()), odd);
        }
    }
}
