//! The schemas that tools publish, and the check of arguments against them.
//!
//! Schemas come from the Rust types and are then made plain, because hosts are picky: object roots, nothing to
//! resolve, no Rust number formats, no null types for what may simply be left out (D-6).

mod check;
mod misread;

pub(crate) use check::{Checker, Fault, field_name as field_of};
pub(crate) use hewto_core::schema::one_of;
pub(crate) use misread::Misread;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// What a tool takes.
pub(crate) fn input_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(settings().for_deserialize());
    for_each_schema(&mut schema, &mut |node| {
        drop_noise(node);
        drop_null_type(node);
    });
    finish_root(schema)
}

/// A mark on schemas whose description says all that a model has to read.
const IN_WORDS: &str = "x-in-words";

/// What a tool takes, as it is listed: what is said in words is checked, but not spelt out.
pub(crate) fn listed(schema: JsonObject) -> JsonObject {
    let mut schema = Value::Object(schema);
    for_each_schema(&mut schema, &mut |node| {
        if node.shift_remove(IN_WORDS).is_some() {
            node.insert("additionalProperties".into(), json!({ "type": "object" }));
        }
    });
    finish_root(schema)
}

/// A mark on parameters that a seed's tool does not have, and on those that it requires where ours does not.
const BEYOND: &str = "x-beyond";
const REQUIRED: &str = "x-required";

/// Whose parameters a tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Ours,
    /// Exactly those of the seed.
    Seed,
}

/// The schema with the parameters of that surface, and without our marks.
pub(crate) fn on_surface(mut schema: JsonObject, surface: Surface) -> JsonObject {
    let mut required: Vec<Value> =
        schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        if surface == Surface::Seed {
            properties.retain(|_, property| property.get(BEYOND).is_none());
        }
        for (name, property) in properties.iter_mut() {
            let Some(property) = property.as_object_mut() else { continue };
            property.shift_remove(BEYOND);
            if property.shift_remove(REQUIRED).is_some() && surface == Surface::Seed {
                required.push(name.as_str().into());
            }
        }
    }
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

/// What a tool answers.
pub(crate) fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(settings().for_serialize());
    for_each_schema(&mut schema, &mut |node| {
        drop_noise(node);
        split_null_type(node);
    });
    finish_root(schema)
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Calls `visit` on this schema and every schema within it.
fn for_each_schema(schema: &mut Value, visit: &mut impl FnMut(&mut JsonObject)) {
    let Some(node) = schema.as_object_mut() else { return };
    visit(node);
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.values_mut().for_each(|property| for_each_schema(property, visit));
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = node.get_mut(inner) {
            for_each_schema(inner, visit);
        }
    }
    for branches in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(schemas)) = node.get_mut(branches) {
            for schema in schemas {
                for_each_schema(schema, visit);
            }
        }
    }
}

/// Rust's number formats mean nothing to a client, and absent is not a default worth stating.
fn drop_noise(node: &mut JsonObject) {
    let rust_number =
        |format: &str| matches!(format.trim_start_matches('u').get(..3), Some("int" | "flo" | "dou"));
    if node.get("format").and_then(Value::as_str).is_some_and(rust_number) {
        node.remove("format");
    }
    let is_nothing = |default: &Value| [Value::Null, json!([]), json!({})].contains(default);
    if node.get("default").is_some_and(is_nothing) {
        node.remove("default");
    }
}

/// `null` counts as absent, so it is no type of its own: `["string", "null"]` becomes `"string"`.
fn drop_null_type(node: &mut JsonObject) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            node.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(names)) = node.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    if let Some(Value::Array(branches)) = node.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            node.remove("anyOf");
            for (key, value) in only {
                // The field's own description says more than its type's.
                node.entry(key).or_insert(value);
            }
        }
    }
}

/// `["string", "null"]` becomes two branches of one type each: some hosts know no list of types.
fn split_null_type(node: &mut JsonObject) {
    let Some(Value::Array(types)) = node.get("type") else { return };
    let branches = types.iter().map(|name| json!({ "type": name })).collect::<Vec<_>>();
    let mut rest = std::mem::take(node);
    rest.remove("type");
    if let Some(description) = rest.remove("description") {
        node.insert("description".into(), description);
    }
    let branches = branches.into_iter().map(|mut branch| {
        if branch["type"] != "null" {
            // Whatever else was said was said about the value.
            branch.as_object_mut().expect("made as an object").append(&mut rest);
        }
        branch
    });
    node.insert("anyOf".into(), branches.collect());
}

fn finish_root(schema: Value) -> JsonObject {
    let Value::Object(mut root) = schema else { unreachable!("the schema of a struct is an object") };
    for redundant in ["$schema", "title", "description"] {
        root.shift_remove(redundant);
    }
    root.entry("properties").or_insert_with(|| json!({}));
    // Where fields are flattened, serde cannot refuse unknown ones: the schema alone says so, and schemars says it last.
    if let Some(closed) = root.shift_remove("additionalProperties") {
        root.shift_insert(1, "additionalProperties".into(), closed);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// How many
        count: u32,
        /// Perhaps
        maybe: Option<String>,
        inner: Option<Inner>,
        list: Vec<Inner>,
        #[serde(default)]
        #[schemars(schema_with = "colours")]
        colour: Option<String>,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Inner {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(default)]
        note: Option<String>,
    }

    fn colours(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        one_of(["red", "green"])
    }

    #[test]
    fn an_input_schema_is_plain() {
        let inner = json!({ "type": "object", "properties": { "note": { "type": "string" } } });
        assert_eq!(
            Value::Object(input_schema::<Sample>()),
            json!({
                "type": "object",
                "properties": {
                    "count": { "description": "How many", "type": "integer", "minimum": 0 },
                    "maybe": { "description": "Perhaps", "type": "string" },
                    "inner": inner,
                    "list": { "type": "array", "items": inner },
                    "colour": { "type": "string", "enum": ["red", "green"] },
                },
                "additionalProperties": false,
                "required": ["count", "list"],
            })
        );
    }

    #[test]
    fn an_output_schema_keeps_null_and_requires_what_is_always_there() {
        let schema = Value::Object(output_schema::<Sample>());
        let maybe = json!({ "description": "Perhaps", "anyOf": [{ "type": "string" }, { "type": "null" }] });
        assert_eq!(schema["properties"]["maybe"], maybe);
        assert_eq!(schema["properties"]["list"]["items"].get("required"), None);
        assert_eq!(schema["required"], json!(["count", "maybe", "inner", "list", "colour"]));
    }
}
