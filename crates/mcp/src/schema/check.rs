//! Arguments against the published schema: every fault at once, each with its place.
//!
//! Two readings are lenient, as JSON Schema and clients are: an explicit null of an optional argument counts as
//! absent, and `2.0` is an integer. Whether a value makes sense is the engine's business.

use std::sync::OnceLock;

use hewto_core::failure;
use hewto_core::near::near;
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Number, Value};

use super::misread::{self, Misread};

/// One thing that is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// JSON pointer into the arguments
    pub(crate) pointer: String,
    /// The same place as people write it: `steps[0].title`
    pub(crate) field: String,
    pub(crate) expected: String,
    pub(crate) message: String,
}

/// Checks arguments against one schema, which is compiled at the first use.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Value,
    validator: OnceLock<Validator>,
}

impl Checker {
    pub(crate) fn new(schema: JsonObject) -> Self {
        Self { schema: Value::Object(schema), validator: OnceLock::new() }
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// The arguments as the handler takes them, or all that is wrong with them.
    pub(crate) fn check(&self, arguments: JsonObject) -> Result<Value, Misread> {
        let mut arguments = Value::Object(arguments);
        normalise(&mut arguments, &self.schema);
        let faults = self.faults_in(&arguments);
        if faults.is_empty() {
            return Ok(arguments);
        }
        let rest = misread::rest(arguments, &self.schema, |arguments| self.faults_in(arguments));
        Err(Misread { faults, rest })
    }

    fn faults_in(&self, arguments: &Value) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        for error in self.validator().iter_errors(arguments) {
            for fault in self.faults(error.kind(), error.instance_path().as_str(), error.instance()) {
                if !faults.iter().any(|known| known.pointer == fault.pointer) {
                    faults.push(fault);
                }
            }
        }
        faults
    }

    fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            jsonschema::draft202012::new(&self.schema).expect("a test compiles the schema of every tool")
        })
    }

    fn faults(&self, kind: &ValidationErrorKind, pointer: &str, found: &Value) -> Vec<Fault> {
        match kind {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let pointer = child(pointer, name);
                let field = field_name(&pointer);
                let message = format!("`{field}` is missing");
                vec![Fault { expected: self.expected_at(&pointer), message, field, pointer }]
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.names_at(pointer);
                unexpected.iter().map(|name| unknown_field(&child(pointer, name), name, &known)).collect()
            }
            _ => {
                let (field, expected) = (field_name(pointer), self.expected_at(pointer));
                let message = format!("`{field}` must be {expected}, not {}", shown(found));
                // What is to be written instead is what the list of tools says of it.
                let expected = match self.schema_at(pointer).and_then(|schema| schema["description"].as_str())
                {
                    Some(about) => format!("{expected}: {about}"),
                    None => expected,
                };
                vec![Fault { pointer: pointer.to_owned(), field, expected, message }]
            }
        }
    }

    fn expected_at(&self, pointer: &str) -> String {
        self.schema_at(pointer).map_or_else(|| "something else".into(), describe)
    }

    fn names_at(&self, pointer: &str) -> Vec<&str> {
        let properties = self.schema_at(pointer).and_then(|schema| schema["properties"].as_object());
        properties.into_iter().flat_map(JsonObject::keys).map(String::as_str).collect()
    }

    fn schema_at(&self, pointer: &str) -> Option<&Value> {
        schema_at(&self.schema, pointer)
    }
}

/// The schema of the value that `pointer` leads to.
pub(super) fn schema_at<'s>(schema: &'s Value, pointer: &str) -> Option<&'s Value> {
    segments(pointer).try_fold(schema, |schema, segment| {
        schema
            .get("properties")
            .and_then(|properties| properties.get(&segment))
            .or_else(|| schema.get("items"))
            .or_else(|| schema.get("additionalProperties").filter(|inner| inner.is_object()))
    })
}

/// Drops the nulls of optional members and writes whole numbers as integers.
fn normalise(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(members) => {
            let required = schema["required"].as_array();
            let is_required =
                |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
            if let Some(properties) = schema["properties"].as_object() {
                members.retain(|name, value| {
                    !(value.is_null() && properties.contains_key(name) && !is_required(name))
                });
            }
            for (name, value) in members {
                let schema = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                normalise(value, schema);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalise(item, &schema["items"])),
        Value::Number(number) if schema["type"] == "integer" => {
            if let Some(whole) = number.as_f64().and_then(whole) {
                *number = whole;
            }
        }
        _ => {}
    }
}

/// `2` for `2.0`; nothing for fractions and for what no longer counts exactly.
fn whole(number: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() != 0.0 || number.abs() > EXACT {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and within the range in which every integer is exact"
    )]
    let integer = number as i64;
    Some(integer.into())
}

fn unknown_field(pointer: &str, name: &str, known: &[&str]) -> Fault {
    let field = field_name(pointer);
    let meant = near(name, known.iter().copied(), 1);
    let message = match meant.first() {
        Some(meant) => format!("there is no `{field}`; did you mean `{meant}`?"),
        None => format!("there is no `{field}`"),
    };
    let expected = if known.is_empty() { "nothing".to_owned() } else { format!("one of {}", quoted(known)) };
    Fault { pointer: pointer.to_owned(), expected, message, field }
}

/// What a schema asks for, in words.
fn describe(schema: &Value) -> String {
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", quoted(&names));
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        return branches.iter().map(describe_branch).collect::<Vec<_>>().join(" or ");
    }
    match (schema["type"].as_str(), schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (Some("integer"), Some(least), Some(most)) => format!("an integer from {least} to {most}"),
        (Some("integer"), Some(least), None) => format!("an integer of at least {least}"),
        (Some("integer"), ..) => "an integer".into(),
        (Some("number"), ..) => match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
            (Some(least), Some(most)) => format!("a number from {least} to {most}"),
            _ => "a number".into(),
        },
        (Some("boolean"), ..) => "true or false".into(),
        (Some("array"), ..) => match schema["minItems"].as_u64() {
            Some(least) => format!("a list of at least {least}"),
            None => "a list".into(),
        },
        (Some("object"), ..) => "an object".into(),
        (Some(name), ..) => format!("a {name}"),
        (None, ..) => "a value".into(),
    }
}

/// One of several things that a value may be, so that an object shows which one is meant.
fn describe_branch(schema: &Value) -> String {
    match schema["required"].as_array() {
        Some(names) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            format!("{} with {}", describe(schema), quoted(&names))
        }
        None => describe(schema),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The value that was found, short enough to show.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::Object(_) => return "an object".into(),
        Value::Array(items) if items.is_empty() => return "an empty list".into(),
        Value::Array(_) => return "a list".into(),
        simple => simple.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

pub(super) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn segments(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}

/// `/steps/0/title` as `steps[0].title`.
pub(crate) fn field_name(pointer: &str) -> String {
    match failure::field_name(segments(pointer)) {
        name if name.is_empty() => "arguments".into(),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checker() -> Checker {
        let step = json!({
            "type": "object",
            "properties": { "title": { "type": "string" }, "size": { "type": "string", "enum": ["s", "m"] } },
            "required": ["title"],
            "additionalProperties": false,
        });
        let label = json!({ "anyOf": [{ "type": "string" }, step] });
        let schema = json!({
            "type": "object",
            "properties": {
                "spec_id": { "type": "string" },
                "index": { "type": "integer", "minimum": 0, "maximum": 100 },
                "share": { "type": "number", "minimum": 0.0, "maximum": 1.0 },
                "approved": { "type": "boolean", "description": "By a person" },
                "steps": { "type": "array", "items": step },
                "by_name": { "type": "object", "additionalProperties": step },
                "labels": { "type": "array", "items": label },
            },
            "required": ["spec_id"],
            "additionalProperties": false,
        });
        Checker::new(rmcp::model::object(schema))
    }

    fn check(arguments: Value) -> Result<Value, Vec<Fault>> {
        checker().check(rmcp::model::object(arguments)).map_err(|misread| misread.faults)
    }

    #[test]
    fn nulls_of_optional_arguments_are_absent_and_whole_floats_are_integers() {
        let given = json!({ "spec_id": "a", "index": 2.0, "approved": null, "steps": [{ "title": "t", "size": null }],
            "by_name": { "x": { "title": "t", "size": null } } });
        let taken = json!({ "spec_id": "a", "index": 2, "steps": [{ "title": "t" }],
            "by_name": { "x": { "title": "t" } } });
        assert_eq!(check(given), Ok(taken));
    }

    #[test]
    fn all_faults_are_reported_with_their_places() {
        let given = json!({
            "index": 101,
            "share": 1.5,
            "approved": "yes",
            "stepz": [],
            "steps": [{ "title": null }, { "size": "xl", "titel": "t" }, 5],
            "by_name": { "x": { "title": 1 } },
            "labels": ["fine", { "titel": "t" }],
        });
        let faults = check(given).unwrap_err();
        let mut lines: Vec<String> = faults
            .iter()
            .map(|fault| {
                format!("{} | {} | {} | {}", fault.pointer, fault.field, fault.expected, fault.message)
            })
            .collect();
        lines.sort();
        let expected = [
            "/approved | approved | true or false: By a person | `approved` must be true or false, not `\"yes\"`",
            "/by_name/x/title | by_name.x.title | a string | `by_name.x.title` must be a string, not `1`",
            "/index | index | an integer from 0 to 100 | `index` must be an integer from 0 to 100, not `101`",
            "/labels/1 | labels[1] | a string or an object with `title` | `labels[1]` must be a string or an object with `title`, not an object",
            "/share | share | a number from 0 to 1 | `share` must be a number from 0 to 1, not `1.5`",
            "/spec_id | spec_id | a string | `spec_id` is missing",
            "/steps/0/title | steps[0].title | a string | `steps[0].title` must be a string, not `null`",
            "/steps/1/size | steps[1].size | one of `s`, `m` | `steps[1].size` must be one of `s`, `m`, not `\"xl\"`",
            "/steps/1/titel | steps[1].titel | one of `title`, `size` | there is no `steps[1].titel`; did you mean `title`?",
            "/steps/1/title | steps[1].title | a string | `steps[1].title` is missing",
            "/steps/2 | steps[2] | an object | `steps[2]` must be an object, not `5`",
            "/stepz | stepz | one of `spec_id`, `index`, `share`, `approved`, `steps`, `by_name`, `labels` | there is no `stepz`; did you mean `steps`?",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_number_that_is_no_integer_in_range_is_a_fault() {
        for index in [json!(-1), json!(1.5), json!(1e300), json!("3"), json!(-0.5)] {
            let faults = check(json!({ "spec_id": "a", "index": index })).unwrap_err();
            assert_eq!(faults.len(), 1, "{index}");
            assert_eq!(faults[0].pointer, "/index");
        }
    }

    #[test]
    fn a_long_value_is_shown_short() {
        let faults = check(json!({ "spec_id": "a", "approved": "x".repeat(10_000) })).unwrap_err();
        assert!(faults[0].message.len() < 200, "{}", faults[0].message);
    }
}
