//! Front matter as JSON, and JSON as front matter.

use hewto_core::document::front_matter::{Data, Entry, Node, ScalarStyle, Value as Yaml};
use serde_json::{Map, Number, Value};

/// A value of a front matter, with the type that YAML gives it.
pub(crate) fn to_json(node: &Node) -> Value {
    match &node.data {
        Data::List(items) => items.iter().map(to_json).collect(),
        Data::Map(entries) => Value::Object(map_to_json(entries)),
        Data::Scalar { .. } if node.is_null() => Value::Null,
        Data::Scalar { text, style: ScalarStyle::Plain } => match node.as_bool() {
            Some(truth) => Value::Bool(truth),
            None => number(text).map_or_else(|| Value::String(text.clone()), Value::Number),
        },
        Data::Scalar { text, .. } => Value::String(text.clone()),
    }
}

pub(super) fn map_to_json(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), to_json(&entry.node))).collect()
}

/// Numbers as JSON writes them; `007` and `1_000` are texts.
fn number(text: &str) -> Option<Number> {
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// A JSON value to be written to a front matter; null and what is null inside is left out.
pub(crate) fn to_yaml(value: &Value) -> Option<Yaml> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(truth) => Yaml::Bool(*truth),
        Value::Number(number) => Yaml::Number(number.to_string()),
        Value::String(text) => Yaml::Text(text.clone()),
        Value::Array(items) => Yaml::List(items.iter().filter_map(to_yaml).collect()),
        Value::Object(entries) => Yaml::Map(
            entries.iter().filter_map(|(key, value)| Some((key.clone(), to_yaml(value)?))).collect(),
        ),
    })
}
