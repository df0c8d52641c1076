//! `deltas` as a list, each entry with its capability: as the deltas by capability that the tools take.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::spelling::folded;

/// The names under which an entry says whose delta it is.
const CAPABILITY: [&str; 5] = ["capability", "capabilityid", "spec", "specid", "speccapability"];
/// The names under which an entry says what it does.
const OPERATION: [&str; 4] = ["operation", "op", "type", "action"];

/// Deltas by capability; nothing where an entry does not say which it is about.
pub(super) fn by_capability(deltas: &Value) -> Option<Value> {
    let mut all = JsonObject::new();
    for entry in deltas.as_array()? {
        let mut entry = entry.as_object()?.clone();
        let Value::String(capability) = taken(&mut entry, &CAPABILITY)? else { return None };
        let parts = parts(entry);
        match all.entry(capability).or_insert_with(|| json!({})) {
            Value::Object(delta) => parts.into_iter().for_each(|(name, part)| add(delta, name, part)),
            _ => return None,
        }
    }
    Some(Value::Object(all))
}

/// The parts of a delta that an entry means: its own, or one requirement with what is to be done to it.
fn parts(mut entry: JsonObject) -> JsonObject {
    let operation = OPERATION.iter().find_map(|name| {
        let key = entry.keys().find(|key| folded(key) == *name)?.clone();
        let operation = operation(entry.get(&key)?.as_str()?)?;
        entry.shift_remove(&key);
        Some(operation)
    });
    let Some(operation) = operation else { return entry };
    let whole = taken_if(&mut entry, "requirements", |_| true)
        .or_else(|| taken_if(&mut entry, "requirement", Value::is_object));
    if let Some(requirements) = whole {
        entry.insert(operation.to_owned(), requirements);
        return entry;
    }
    let purpose = taken(&mut entry, &["purpose"]);
    let mut parts = JsonObject::new();
    parts.extend(purpose.map(|purpose| ("purpose".to_owned(), purpose)));
    parts.insert(operation.to_owned(), Value::Object(entry));
    parts
}

fn operation(word: &str) -> Option<&'static str> {
    let word = folded(word);
    let meant = [
        ("add", "added"),
        ("new", "added"),
        ("modif", "modified"),
        ("update", "modified"),
        ("change", "modified"),
        ("remove", "removed"),
        ("delete", "removed"),
        ("rename", "renamed"),
    ];
    meant.iter().find(|(start, _)| word.starts_with(start)).map(|(_, operation)| *operation)
}

/// Adds a part of a delta to what is there under its name.
fn add(delta: &mut JsonObject, name: String, part: Value) {
    match delta.get_mut(&name) {
        Some(there) if there != &part => {
            let mut all = listed(std::mem::take(there));
            all.extend(listed(part));
            *there = Value::Array(all);
        }
        Some(_) => {}
        None => {
            delta.insert(name, part);
        }
    }
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::Array(entries) => entries,
        single => vec![single],
    }
}

fn taken(entry: &mut JsonObject, names: &[&str]) -> Option<Value> {
    let key = entry.keys().find(|key| names.contains(&folded(key).as_str()))?.clone();
    entry.shift_remove(&key)
}

fn taken_if(entry: &mut JsonObject, name: &str, fits: fn(&Value) -> bool) -> Option<Value> {
    let key = entry.iter().find(|(key, value)| folded(key) == name && fits(value))?.0.clone();
    entry.shift_remove(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_deltas_is_read_by_its_capabilities() {
        let requirement = json!({ "name": "Limit", "text": "It SHALL limit." });
        let expected = json!({ "limits": { "added": [requirement] } });
        for list in [
            json!([{ "capability": "limits", "added": [requirement] }]),
            json!([{ "spec": "limits", "added": [requirement] }]),
            json!([{ "spec_id": "limits", "operation": "ADDED", "requirements": [requirement] }]),
        ] {
            assert_eq!(by_capability(&list), Some(expected.clone()), "{list}");
        }
        let single = json!({ "limits": { "added": requirement } });
        for list in [
            json!([{ "spec": "limits", "type": "add", "requirement": requirement }]),
            json!([{ "capability": "limits", "op": "ADDED", "name": "Limit", "text": "It SHALL limit." }]),
        ] {
            assert_eq!(by_capability(&list), Some(single.clone()), "{list}");
        }
    }

    #[test]
    fn entries_of_one_capability_come_together() {
        let list = json!([
            { "capability": "limits", "operation": "ADDED", "name": "One", "text": "x" },
            { "capability": "limits", "operation": "ADDED", "name": "Two", "text": "y" },
            { "capability": "limits", "operation": "REMOVED", "name": "Three" },
            { "capability": "other", "renamed": [{ "from": "a", "to": "b" }] },
        ]);
        let expected = json!({
            "limits": {
                "added": [{ "name": "One", "text": "x" }, { "name": "Two", "text": "y" }],
                "removed": { "name": "Three" },
            },
            "other": { "renamed": [{ "from": "a", "to": "b" }] },
        });
        assert_eq!(by_capability(&list), Some(expected));
    }

    #[test]
    fn a_list_that_does_not_say_whose_deltas_they_are_stays_one() {
        for odd in
            [json!([{ "added": [] }]), json!(["## ADDED Requirements"]), json!([{ "spec": 1 }]), json!({})]
        {
            assert_eq!(by_capability(&odd), None, "{odd}");
        }
    }
}
