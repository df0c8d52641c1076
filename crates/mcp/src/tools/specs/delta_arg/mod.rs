//! `deltas` as clients write them: every sensible spelling is taken, and all that is wrong is told at once.

mod scenario;

use std::collections::BTreeMap;

use hewto_engine::Error;
use hewto_engine::change::{NewDelta, NewRemoval, NewRename, NewRequirement};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::schema::{Fault, field_of};

/// Said in one sentence instead of nested schemas: every model reads this list in every session.
const IN_WORDS: &str = "By capability: {purpose?, added, modified: [{name, text, scenarios: [{name, given?, when?, then: [], \
                        or steps}]} or raw Markdown], add_scenarios: [{requirement, scenarios}], removed: [{name, reason?}], \
                        renamed: [{from, to}]}; modified is the whole requirement, its scenarios may be names alone";

pub(super) fn schema_in_words(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "description": IN_WORDS })
}

pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Deltas as far as they could be read, and what is wrong with the rest.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) deltas: BTreeMap<String, NewDelta>,
    pub(super) misread: Vec<Value>,
    /// Pointers to the parts of deltas as the engine spells them, and as the caller did.
    spelled: Vec<(String, String)>,
}

impl Read {
    /// An error whose faults lead to what the caller wrote.
    pub(super) fn located(&self, mut error: Error) -> Error {
        let faults = error.details.get_mut("faults").and_then(Value::as_array_mut);
        for fault in faults.into_iter().flatten() {
            let Some(pointer) = fault["pointer"].as_str() else { continue };
            let own = self.spelled.iter().find_map(|(ours, theirs)| {
                let rest = pointer.strip_prefix(ours.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{theirs}{rest}"))
            });
            if let Some(own) = own {
                fault["field"] = json!(field_of(&own));
                fault["pointer"] = json!(own);
            }
        }
        error
    }
}

pub(super) fn read(deltas: BTreeMap<String, Value>) -> Read {
    let mut reader = Reader { faults: Vec::new(), spelled: Vec::new() };
    let mut read = BTreeMap::new();
    for (capability, value) in deltas {
        let at = format!("/deltas/{}", escaped(&capability));
        let before = reader.faults.len();
        let delta = reader.delta(&at, &value);
        // Of what could not be read at all nothing more is said.
        if !delta.is_empty() || reader.faults.len() == before {
            read.insert(capability, delta);
        }
    }
    let misread = reader.faults.iter().map(|fault| json!(fault)).collect();
    Read { deltas: read, misread, spelled: reader.spelled }
}

/// Stands for a name that is missing, so that what else is wrong can be told.
const UNNAMED: &str = "?";

struct Reader {
    faults: Vec<Fault>,
    spelled: Vec<(String, String)>,
}

const OPERATIONS: &str = "purpose, added, modified, add_scenarios, removed, renamed";

impl Reader {
    fn fault(&mut self, at: &str, expected: &str, message: String) {
        self.faults.push(Fault {
            pointer: at.to_owned(),
            field: field_of(at),
            expected: expected.to_owned(),
            message,
        });
    }

    fn delta(&mut self, at: &str, value: &Value) -> NewDelta {
        let mut delta = NewDelta::default();
        let object = match value {
            Value::String(markdown) => return NewDelta { raw: Some(markdown.clone()), ..delta },
            Value::Object(object) => object,
            other => {
                self.wrong::<()>(at, "an object, or Markdown with `## ADDED Requirements`", other);
                return delta;
            }
        };
        for (key, value) in object {
            let place = at;
            let at = format!("{at}/{}", escaped(key));
            if value.is_null() {
                continue;
            }
            let name = folded(key);
            let ours =
                ["added", "modified", "removed", "renamed"].into_iter().find(|one| name.starts_with(one));
            if let Some(ours) = ours.filter(|ours| ours != key && name != "addedscenarios") {
                self.spelled.push((format!("{place}/{ours}"), at.clone()));
            }
            match name.as_str() {
                "purpose" => delta.purpose = self.text(&at, value),
                "added" | "add" | "addedrequirements" => {
                    delta.added = self.list(&at, value, Self::requirement);
                }
                "modified" | "modify" | "modifiedrequirements" => {
                    delta.modified = self.list(&at, value, Self::requirement);
                }
                "addscenarios" | "addedscenarios" => delta.add_scenarios = self.added_scenarios(&at, value),
                "removed" | "remove" | "removedrequirements" => {
                    delta.removed = self.list(&at, value, Self::removal);
                }
                "renamed" | "rename" | "renamedrequirements" => {
                    delta.renamed = self.list(&at, value, Self::rename);
                }
                "raw" | "markdown" => delta.raw = self.text(&at, value),
                _ => {
                    self.fault(
                        &at,
                        &format!("one of {OPERATIONS}"),
                        format!("`{key}` is not part of a delta"),
                    );
                }
            }
        }
        delta
    }

    /// A list, a single entry, or an object of entries by name.
    fn list<T>(&mut self, at: &str, value: &Value, one: fn(&mut Self, &str, &Value) -> Option<T>) -> Vec<T> {
        match value {
            Value::Array(entries) => {
                let entries = entries.iter().enumerate();
                entries.filter_map(|(index, entry)| one(self, &format!("{at}/{index}"), entry)).collect()
            }
            Value::Object(object) if is_by_name(object) => {
                let named = object.iter().map(|(name, entry)| (name, with_name(name, entry)));
                named
                    .filter_map(|(name, entry)| one(self, &format!("{at}/{}", escaped(name)), &entry))
                    .collect()
            }
            single => one(self, at, single).into_iter().collect(),
        }
    }

    fn requirement(&mut self, at: &str, value: &Value) -> Option<NewRequirement> {
        let object = match value {
            Value::String(raw) => {
                let name = raw.lines().find_map(requirement_heading);
                if name.is_none() {
                    let message = format!("`{}` has no `### Requirement: name`", field_of(at));
                    self.fault(at, "Markdown that begins with `### Requirement: name`", message);
                }
                return name.map(|name| NewRequirement {
                    name,
                    raw: Some(raw.clone()),
                    ..NewRequirement::default()
                });
            }
            Value::Object(object) => object,
            other => return self.wrong(at, "a requirement", other),
        };
        let mut requirement = NewRequirement::default();
        for (key, value) in object {
            let at = format!("{at}/{}", escaped(key));
            if value.is_null() {
                continue;
            }
            match folded(key).as_str() {
                "name" | "requirement" | "title" => requirement.name = self.name(&at, value),
                "text" | "description" | "statement" | "body" => {
                    requirement.text = self.text(&at, value).unwrap_or_default();
                }
                "scenarios" | "scenario" => requirement.scenarios = self.scenarios(&at, value),
                "raw" | "markdown" => requirement.raw = self.text(&at, value),
                // What `get_requirement` says about it beside what it says.
                "id" | "specid" | "file" | "line" | "scenariocount" | "tags" => {}
                _ => {
                    let message = format!("`{key}` is not part of a requirement");
                    self.fault(&at, "one of name, text, scenarios, raw", message);
                }
            }
        }
        if requirement.name.trim().is_empty() {
            let from_raw =
                requirement.raw.as_deref().and_then(|raw| raw.lines().find_map(requirement_heading));
            if let Some(name) = from_raw {
                requirement.name = name;
            } else {
                // It keeps its place in the list, so that what else is wrong is told at the right one.
                self.missing::<()>(at, "name", "the name of the requirement");
                UNNAMED.clone_into(&mut requirement.name);
            }
        }
        Some(requirement)
    }

    fn removal(&mut self, at: &str, value: &Value) -> Option<NewRemoval> {
        let object = match value {
            Value::String(name) => return Some(NewRemoval { name: name.clone(), reason: None }),
            Value::Object(object) => object,
            other => return self.wrong(at, "a name, or {name, reason}", other),
        };
        let mut removal = NewRemoval::default();
        for (key, value) in object {
            let at = format!("{at}/{}", escaped(key));
            if value.is_null() {
                continue;
            }
            match folded(key).as_str() {
                "name" | "requirement" | "title" => removal.name = self.name(&at, value),
                "reason" => removal.reason = self.text(&at, value),
                // As `get_change` shows it: what stands below the heading.
                "text" if removal.reason.is_none() => {
                    removal.reason = self.text(&at, value).filter(|text| !text.trim().is_empty());
                }
                "text" | "scenarios" | "id" | "migration" => {}
                _ => self.fault(&at, "one of name, reason", format!("`{key}` is not part of a removal")),
            }
        }
        if removal.name.trim().is_empty() {
            return self.missing(at, "name", "the name of the requirement");
        }
        Some(removal)
    }

    fn rename(&mut self, at: &str, value: &Value) -> Option<NewRename> {
        let Value::Object(object) = value else { return self.wrong(at, "{from, to}", value) };
        let side = |names: [&str; 2]| {
            let value = object.iter().find(|(key, _)| names.contains(&folded(key).as_str()));
            value.and_then(|(_, value)| value.as_str()).map(str::to_owned)
        };
        match (side(["from", "old"]), side(["to", "new"])) {
            (Some(from), Some(to)) => Some(NewRename { from, to }),
            (None, _) => self.missing(at, "from", "the name it has"),
            (_, None) => self.missing(at, "to", "the name it gets"),
        }
    }

    fn text(&mut self, at: &str, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            other => self.wrong(at, "text", other),
        }
    }

    /// A name; one that is no text is told once.
    fn name(&mut self, at: &str, value: &Value) -> String {
        self.text(at, value).unwrap_or_else(|| UNNAMED.to_owned())
    }

    /// One text, or a list of them.
    fn texts(&mut self, at: &str, value: &Value) -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(texts) if texts.iter().all(Value::is_string) => {
                texts.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            other => self.wrong::<Vec<String>>(at, "text or a list of texts", other).unwrap_or_default(),
        }
    }

    fn missing<T>(&mut self, at: &str, name: &str, expected: &str) -> Option<T> {
        let at = format!("{at}/{name}");
        self.fault(&at, expected, format!("`{}` is missing", field_of(&at)));
        None
    }

    fn wrong<T>(&mut self, at: &str, expected: &str, found: &Value) -> Option<T> {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.fault(at, expected, format!("`{}` must be {expected}, not {found}", field_of(at)));
        None
    }
}

/// A part of a JSON pointer.
fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

fn requirement_heading(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix("###")?.trim().strip_prefix("Requirement:")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether the entries of an object are named by its keys: none of them is a part of an entry.
fn is_by_name(object: &Map<String, Value>) -> bool {
    const PARTS: [&str; 12] = [
        "name",
        "requirement",
        "title",
        "text",
        "description",
        "scenarios",
        "raw",
        "reason",
        "from",
        "to",
        "when",
        "then",
    ];
    let is_part = |key: &String| PARTS.contains(&folded(key).as_str());
    !object.is_empty() && !object.keys().any(is_part)
}

fn with_name(name: &str, entry: &Value) -> Value {
    match entry {
        Value::Object(entry) => {
            let mut entry = entry.clone();
            entry.entry("name").or_insert_with(|| name.into());
            Value::Object(entry)
        }
        // Steps in one text, or the text of a requirement.
        Value::String(text) => json!({ "name": name, "text": text }),
        other => other.clone(),
    }
}

/// A key as it compares: `ADDED Requirements`, `added_requirements` and `addedRequirements` are one.
fn folded(key: &str) -> String {
    key.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
