//! What hosts refuse in the schemas of a tool.

use serde_json::Value;

use super::{Judge, Level};

/// No host looks deeper.
const MAX_DEPTH: usize = 32;
/// Some hosts flatten what is nested deeper.
const DEEP: usize = 8;

pub(super) fn judge(judge: &mut Judge, tool: &str, value: &Value) {
    match value.get("inputSchema") {
        None => judge.add(Level::Error, "schema", tool, "it has no `inputSchema`"),
        Some(schema) => {
            root(judge, tool, "inputSchema", schema);
            walk(judge, tool, schema, schema, "", 0);
        }
    }
    if let Some(schema) = value.get("outputSchema") {
        root(judge, tool, "outputSchema", schema);
    }
}

fn root(judge: &mut Judge, tool: &str, which: &str, schema: &Value) {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        judge.add(
            Level::Error,
            "schema",
            tool,
            format!("the root of `{which}` has to be `\"type\": \"object\"`"),
        );
    }
    for word in ["oneOf", "anyOf", "allOf", "not", "enum"] {
        if schema.get(word).is_some() {
            judge.add(
                Level::Error,
                "schema",
                tool,
                format!("`{word}` at the root of `{which}` is refused by hosts"),
            );
        }
    }
}

fn walk(judge: &mut Judge, tool: &str, schema: &Value, whole: &Value, at: &str, depth: usize) {
    if depth > MAX_DEPTH {
        return judge.add(Level::Error, "schema", tool, format!("{at} is nested without end"));
    }
    if depth == DEEP {
        judge.add(Level::Warning, "schema", tool, format!("{at} is nested {DEEP} levels deep"));
    }
    let shown = if at.is_empty() { "the root" } else { at };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        match reference.strip_prefix('#') {
            None => judge.add(
                Level::Error,
                "schema",
                tool,
                format!("{shown} refers to another document: `{reference}`"),
            ),
            Some(pointer) if whole.pointer(pointer).is_none() => {
                judge.add(
                    Level::Error,
                    "schema",
                    tool,
                    format!("{shown} refers to what is not there: `{reference}`"),
                );
            }
            Some(_) => judge.add(
                Level::Info,
                "schema",
                tool,
                format!("{shown} uses `$ref`, which some hosts do not follow"),
            ),
        }
    }
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if kinds.len() > 1 {
        judge.add(
            Level::Info,
            "schema",
            tool,
            format!("{shown} has several types, of which some hosts take the first"),
        );
    }
    if kinds.contains(&"array") && schema.get("items").is_none() && schema.get("prefixItems").is_none() {
        judge.add(
            Level::Error,
            "schema",
            tool,
            format!("{shown} is a list without `items`, which hosts refuse"),
        );
    }
    let empty = serde_json::Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for required in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !properties.contains_key(required) {
            judge.add(
                Level::Error,
                "schema",
                tool,
                format!("`{required}` is required and not among the properties of {shown}"),
            );
        }
    }
    for (name, property) in properties {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
            judge.add(
                Level::Error,
                "schema",
                tool,
                format!("the property `{name}` has a name that hosts refuse"),
            );
        }
        walk(judge, tool, property, whole, &format!("{at}/{name}"), depth + 1);
    }
    for (word, inner) in
        [("items", schema.get("items")), ("additionalProperties", schema.get("additionalProperties"))]
    {
        if let Some(inner) = inner.filter(|inner| inner.is_object()) {
            walk(judge, tool, inner, whole, &format!("{at}/{word}"), depth + 1);
        }
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        for inner in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
            walk(judge, tool, inner, whole, &format!("{at}/{word}"), depth + 1);
        }
    }
}
