//! Arguments that do not match their schema, as far as they can still be judged: what does not fit is left out, or stands in
//! for something that would, so that what else is wrong with a call can be told in the same answer.

use serde_json::{Value, json};

use super::check::Fault;

/// What is wrong with the arguments of a call, and the rest of them.
#[derive(Debug)]
pub(crate) struct Misread {
    pub(crate) faults: Vec<Fault>,
    /// Arguments that match the schema, to be judged and never to be carried out; `None` where that makes no sense.
    pub(crate) rest: Option<Value>,
}

/// How often a stand-in may turn out to need another.
const ROUNDS: usize = 4;

/// The arguments with everything that is at fault left out or stood in for; `None` where they fit the schema in no way.
pub(super) fn rest(
    mut arguments: Value,
    schema: &Value,
    faults: impl Fn(&Value) -> Vec<Fault>,
) -> Option<Value> {
    for _ in 0..ROUNDS {
        let mut found = faults(&arguments);
        if found.is_empty() {
            return Some(arguments);
        }
        // The last of a list first, so that the places of the others stay.
        found.sort_by(|a, b| b.pointer.cmp(&a.pointer));
        for fault in &found {
            mend(&mut arguments, schema, &fault.pointer)?;
        }
    }
    None
}

/// Takes out what an object need not have, and puts a stand-in in the place of everything else.
fn mend(arguments: &mut Value, schema: &Value, pointer: &str) -> Option<()> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    let around = super::check::schema_at(schema, parent)?;
    let wanted = super::check::schema_at(around, &super::check::child("", &name));
    match arguments.pointer_mut(parent)? {
        Value::Object(members) => {
            let is_required =
                around["required"].as_array().is_some_and(|all| all.iter().any(|one| *one == name));
            match wanted.filter(|_| is_required) {
                Some(wanted) => drop(members.insert(name, stand_in(wanted))),
                None => drop(members.shift_remove(&name)),
            }
        }
        Value::Array(items) => *items.get_mut(name.parse::<usize>().ok()?)? = stand_in(wanted?),
        _ => return None,
    }
    Some(())
}

/// Something of the type that a schema asks for. What it stands for is at fault already, so that nobody hears of it.
fn stand_in(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|names| names.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("string") => json!("?"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::object;

    use super::super::check::Checker;
    use super::*;

    fn rest_of(arguments: Value) -> Option<Value> {
        let step = json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] });
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "kind": { "type": "string", "enum": ["hard", "soft"] },
                "count": { "type": "integer", "minimum": 1 },
                "tasks": { "type": "array", "items": { "type": "string" } },
                "fields": { "type": "object", "additionalProperties": { "type": "string" } },
                "steps": { "type": "array", "items": step },
            },
            "required": ["id", "kind"],
            "additionalProperties": false,
        });
        Checker::new(object(schema)).check(object(arguments)).unwrap_err().rest
    }

    #[test]
    fn what_fits_stays_and_what_is_needed_is_stood_in_for() {
        let odd = json!({
            "kind": "firm", "count": 0, "nope": 1, "tasks": ["a", 2, "c"], "fields": { "a": "b", "c/d": 3 },
            "steps": [{ "titel": "x" }, 5],
        });
        let left = json!({
            "id": "?", "kind": "hard", "tasks": ["a", "?", "c"], "fields": { "a": "b" },
            "steps": [{ "titel": "x", "title": "?" }, { "title": "?" }],
        });
        assert_eq!(rest_of(odd), Some(left));
    }

    #[test]
    fn one_wrong_list_is_left_out_whole() {
        assert_eq!(
            rest_of(json!({ "id": "a", "kind": "soft", "tasks": 4 })),
            Some(json!({ "id": "a", "kind": "soft" }))
        );
    }
}
