//! `.openspec.yaml` in a change's folder: which schema it follows and what it declares.
//!
//! A flag counts only in a file that is valid as a whole. One that is set in a file that is not must be reported,
//! not forgotten, since what it stands for (no deltas, a spec that may go) is a person's decision.

use crate::document::front_matter::{Data, FrontMatter, FrontMatterBlock, Node, ScalarStyle};

/// The schema that OpenSpec brings along.
const BUILT_IN_SCHEMA: &str = "spec-driven";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeFlags {
    pub schema: Option<String>,
    pub created: Option<String>,
    pub goal: Option<String>,
    /// The change has no deltas on purpose.
    pub skip_specs: Marker,
    /// The change may take the last requirement of a spec, and the spec with it.
    pub retire_capabilities: Marker,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Marker {
    #[default]
    Unset,
    Set,
    /// Set, but in a file that is not valid.
    Invalid(Fault),
}

/// What is wrong with the file, and what puts it right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub message: String,
    pub hint: String,
}

impl Marker {
    pub(crate) fn is_set(&self) -> bool {
        *self == Self::Set
    }
}

impl ChangeFlags {
    /// Reads the file. `schemas` are the names of the project's own schemas.
    pub fn read(yaml: &str, schemas: &[&str]) -> Self {
        let yaml = yaml.strip_prefix('\u{feff}').unwrap_or(yaml);
        let metadata =
            FrontMatter::read(yaml, &FrontMatterBlock { span: 0..yaml.len(), yaml: 0..yaml.len() });
        let text = |key: &str| {
            metadata.get(key).filter(|node| is_text(node)).and_then(Node::as_str).map(str::to_owned)
        };
        let fault = fault(yaml, &metadata);
        let schema = text("schema");
        let known = schema.as_deref().is_some_and(|name| name == BUILT_IN_SCHEMA || schemas.contains(&name));
        let marker = |key: &str| {
            if !metadata.diagnostics.is_empty() {
                let is_there = mentions(yaml, key);
                let invalid =
                    || Marker::Invalid(Fault::new("the file is not valid YAML", "put the file right"));
                return if is_there { invalid() } else { Marker::Unset };
            }
            let Some(node) = metadata.get(key) else { return Marker::Unset };
            match (&fault, node.as_bool()) {
                (_, Some(false)) => Marker::Unset,
                (Some(fault), _) => Marker::Invalid(fault.clone()),
                (None, _) if !known => Marker::Invalid(Fault::new(
                    format!("`schema` names `{}`, which is not known", schema.as_deref().unwrap_or("")),
                    format!(
                        "write `schema: {BUILT_IN_SCHEMA}`, or the name of a folder in `openspec/schemas/`"
                    ),
                )),
                (None, _) => Marker::Set,
            }
        };
        Self {
            created: text("created"),
            goal: text("goal"),
            skip_specs: marker("skip_specs"),
            retire_capabilities: marker("retire_capabilities"),
            schema,
        }
    }

    /// Whether the change follows the schema whose tasks are numbered by group.
    pub(crate) fn numbers_tasks(&self) -> bool {
        self.schema.as_deref().is_none_or(|schema| schema == BUILT_IN_SCHEMA)
    }
}

impl Fault {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// The lines that make a flag count, as a hint shows them.
pub(crate) fn flag_lines(flag: &str) -> String {
    format!("`schema: {BUILT_IN_SCHEMA}` and `{flag}: true`")
}

/// What is wrong with the file as metadata of a change.
fn fault(yaml: &str, metadata: &FrontMatter) -> Option<Fault> {
    let text = |key: &str| match metadata.get(key) {
        Some(node) if !is_text(node) || node.as_str().is_none_or(str::is_empty) => {
            Some(Fault::new(format!("`{key}` is not text"), format!("write `{key}` as text, in quotes")))
        }
        _ => None,
    };
    let flag = |key: &str| match metadata.get(key) {
        Some(node) if node.as_bool().is_none() => {
            Some(Fault::new(format!("`{key}` is neither true nor false"), format!("write `{key}: true`")))
        }
        _ => None,
    };
    if yaml.trim().is_empty() || metadata.get("schema").is_none() {
        let hint = format!("add the line `schema: {BUILT_IN_SCHEMA}`");
        return Some(Fault::new("`schema` is missing", hint));
    }
    let created = metadata
        .string("created")
        .filter(|date| !is_date(date))
        .map(|_| Fault::new("`created` is not a date", "write it as YYYY-MM-DD, or take it out"));
    let areas = metadata.get("affected_areas").filter(|node| {
        node.as_list().is_none_or(|list| list.iter().any(|node| !is_text(node) || node.as_str() == Some("")))
    });
    let initiative = metadata.get("initiative").filter(|node| !is_initiative(node));
    text("schema")
        .or_else(|| text("created"))
        .or(created)
        .or_else(|| text("goal"))
        .or_else(|| {
            areas.map(|_| {
                Fault::new(
                    "`affected_areas` is not a list of strings",
                    "write a list of strings, or take it out",
                )
            })
        })
        .or_else(|| {
            let message = "`initiative` is not a `store` and an `id` in kebab-case";
            initiative.map(|_| Fault::new(message, "write both, or take it out"))
        })
        .or_else(|| flag("skip_specs"))
        .or_else(|| flag("retire_capabilities"))
}

/// Whether a value is text and not a number, a truth value or nothing.
fn is_text(node: &Node) -> bool {
    match &node.data {
        Data::Scalar { style: ScalarStyle::Plain, text } => {
            !node.is_null() && node.as_bool().is_none() && text.parse::<f64>().is_err()
        }
        Data::Scalar { .. } => true,
        Data::List(_) | Data::Map(_) => false,
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_initiative(node: &Node) -> bool {
    let Some(entries) = node.as_map() else { return false };
    let kebab = |text: &str| {
        text.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    };
    entries.len() == 2
        && ["store", "id"]
            .iter()
            .all(|key| node.get(key).is_some_and(|node| node.as_str().is_some_and(kebab)))
}

/// Whether a line of a file that is no YAML sets a key.
fn mentions(yaml: &str, key: &str) -> bool {
    yaml.lines().any(|line| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_counts_in_a_valid_file_only() {
        for (yaml, expected) in [
            ("", Some(Marker::Unset)),
            ("schema: spec-driven\n", Some(Marker::Unset)),
            ("schema: spec-driven\nskip_specs: true\n", Some(Marker::Set)),
            ("\u{feff}schema: spec-driven\r\nskip_specs: true\r\n", Some(Marker::Set)),
            ("schema: own\nskip_specs: true\n", Some(Marker::Set)),
            ("schema: spec-driven\nskip_specs: false\n", Some(Marker::Unset)),
            ("schema: 5\nskip_specs: false\n", Some(Marker::Unset)),
            ("schema: spec-driven\ncreated: soon\n", Some(Marker::Unset)),
            ("skip_specs: true\n", None),
            ("schema: other\nskip_specs: true\n", None),
            ("schema: spec-driven\nskip_specs: 'yes'\n", None),
            ("schema: spec-driven\nskip_specs:\n", None),
            ("schema: spec-driven\ncreated: soon\nskip_specs: true\n", None),
            ("schema: spec-driven\ncreated: 2026-01-31\nskip_specs: true\n", Some(Marker::Set)),
            ("schema: [\nskip_specs: true\n", None),
            ("schema: [\n# skip_specs later\n", Some(Marker::Unset)),
        ] {
            let flags = ChangeFlags::read(yaml, &["own"]);
            match expected {
                Some(expected) => assert_eq!(flags.skip_specs, expected, "{yaml:?}"),
                None => assert!(
                    matches!(flags.skip_specs, Marker::Invalid(_)),
                    "{yaml:?}: {:?}",
                    flags.skip_specs
                ),
            }
        }
    }
}
