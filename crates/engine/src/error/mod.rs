//! The one error every use case returns.
//!
//! It carries what an agent acts on (`key`, the seed's number, a message, a hint, details) and what the command
//! line turns into an exit code ([`Kind`]). It is rendered by the adapters, never here.

mod from_store;

use std::fmt;

pub use hewto_core::failure::Kind;
use hewto_core::failure::argument_faults;
use hewto_core::id::IdError;
use hewto_core::lifecycle::Lifecycle;
use serde_json::{Map, Value, json};

/// A failed use case.
#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    /// Stable snake_case name to act on.
    pub key: &'static str,
    /// The seed's number, where it has one.
    pub code: Option<i32>,
    pub message: String,
    pub hint: Option<String>,
    /// Further fields of the error object.
    pub details: Map<String, Value>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(kind: Kind, key: &'static str, code: Option<i32>, message: impl Into<String>) -> Self {
        Self { kind, key, code, message: message.into(), hint: None, details: Map::new(), source: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The same for what a more specific place may have said already.
    #[must_use]
    pub fn detail_unless_set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.entry(name).or_insert_with(|| value.into());
        self
    }

    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The error as the JSON object that agents and `--json` read.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("error".into(), self.key.into());
        if let Some(code) = self.code {
            object.insert("code".into(), code.into());
        }
        object.insert("message".into(), self.full_message().into());
        if let Some(hint) = &self.hint {
            object.insert("hint".into(), hint.clone().into());
        }
        object.extend(self.details.clone());
        Value::Object(object)
    }

    /// The message with its causes, innermost last.
    pub fn full_message(&self) -> String {
        let mut text = self.message.clone();
        let mut cause = self.source.as_deref().map(|source| source as &dyn std::error::Error);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }

    pub fn spec_not_found(id: &str, near: &[String]) -> Self {
        let error = Self::new(Kind::Refused, "spec_not_found", Some(-32001), format!("no spec named `{id}`"))
            .detail("spec_id", id);
        if near.is_empty() {
            error.hint("call `list_specs` or `spec_list` (or run `hewto spec list`) to see the ids")
        } else {
            error.hint(format!("did you mean `{}`?", near.join("`, `"))).detail("near", json!(near))
        }
    }

    pub fn plan_not_found(item: &str) -> Self {
        Self::new(Kind::Refused, "plan_not_found", Some(-32002), format!("`{item}` has no plan"))
            .detail("spec_id", item)
            .hint("create one with `plan_create` (or `hewto plan new`)")
    }

    pub fn invalid_transition(from: Lifecycle, to: Lifecycle) -> Self {
        let valid: Vec<&str> = from.transitions().iter().map(|state| state.as_str()).collect();
        let hint = if valid.is_empty() {
            format!("`{from}` is final; create a new spec to go on")
        } else {
            format!("from `{from}` it can go to `{}`", valid.join("`, `"))
        };
        Self::new(
            Kind::Refused,
            "invalid_transition",
            Some(-32003),
            format!("Cannot transition from '{from}' to '{to}'"),
        )
        .detail("valid_transitions", json!(valid))
        .hint(hint)
    }

    pub fn dependency_not_satisfied(item: &str, blocking: &[String]) -> Self {
        Self::new(
            Kind::Refused,
            "dependency_not_satisfied",
            Some(-32004),
            format!("`{item}` waits for {}", quote_all(blocking)),
        )
        .detail("blocking", json!(blocking))
        .hint("finish these first, or make the dependency soft with `spec_update`")
    }

    /// What was asked for cannot be: the seed's "validation failed".
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, "validation_failed", Some(-32005), message)
    }

    /// An argument is not what it has to be.
    pub fn invalid_argument(field: &str, expected: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let faults = argument_faults(field, expected, &message);
        Self::new(Kind::Usage, "invalid_params", Some(-32602), message).detail("faults", faults)
    }

    /// A cursor was made for another list or another caller; `expected` says which would do.
    pub fn foreign_cursor(expected: &str) -> Self {
        Self::invalid_argument("cursor", expected, "this cursor does not belong to this list")
            .hint("leave `cursor` out to begin at the first page")
    }

    /// An update that names nothing.
    pub fn nothing_to_update(fields: &str) -> Self {
        Self::new(Kind::Usage, "invalid_params", Some(-32602), "there is nothing to update")
            .hint(format!("give at least one of {fields}"))
    }

    /// A document resists an edit that would keep the rest of it as it is.
    pub fn cannot_edit(path: &str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Kind::Refused, "document_invalid", Some(-32005), format!("cannot edit: `{path}`"))
            .detail("file", path)
            .hint("run `hewto validate` to see what is wrong with the file, and mend it by hand")
            .caused_by(cause)
    }

    pub fn invalid_id(field: &str, id: &str, error: IdError) -> Self {
        let shown: String = id.chars().take(80).collect();
        Self::invalid_argument(field, "an id", format!("`{}` is no id: {error}", shown.escape_debug()))
            .hint("call `list_specs` or `spec_list` (or run `hewto spec list`) to see the ids")
    }
}

/// `a`, `b` and `c`, in backticks.
fn quote_all(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full_message())
    }
}

impl std::error::Error for Error {}
