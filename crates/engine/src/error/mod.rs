//! The one error every use case returns.
//!
//! It carries what an agent acts on (a key, a message, a hint, details) and what the command line turns into an exit
//! code ([`Kind`]). It is rendered by the faces, never here: the seeds' numbers are the MCP server's.

mod from_store;

use std::fmt;

use hewto_core::failure::argument_faults;
pub use hewto_core::failure::{Action, Hint, Key, Kind, Names, Wording};
use hewto_core::id::IdError;
use hewto_core::lifecycle::Lifecycle;
use serde_json::{Map, Value, json};

/// A failed use case.
#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    /// What to act on.
    pub key: Key,
    pub message: String,
    pub hint: Option<Hint>,
    /// Further fields of the error object.
    pub details: Map<String, Value>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(kind: Kind, key: Key, message: impl Into<String>) -> Self {
        Self { kind, key, message: message.into(), hint: None, details: Map::new(), source: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
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

    /// The error as a JSON object, with its hint in plain words.
    pub fn to_json(&self) -> Value {
        self.to_object(None, self.plain_hint())
    }

    /// The same as a face writes it: with the seed's number, and the hint in the words of its readers.
    pub fn to_object(&self, code: Option<i32>, hint: Option<String>) -> Value {
        let mut object = Map::new();
        object.insert("error".into(), self.key.as_str().into());
        if let Some(code) = code {
            object.insert("code".into(), code.into());
        }
        object.insert("message".into(), self.full_message().into());
        if let Some(hint) = hint {
            object.insert("hint".into(), hint.into());
        }
        object.extend(self.details.clone());
        Value::Object(object)
    }

    /// What to do next, for whoever has neither tools nor commands.
    pub fn plain_hint(&self) -> Option<String> {
        self.hint.as_ref().map(Hint::to_string)
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
        let error = Self::new(Kind::Refused, Key::SpecNotFound, format!("no spec named `{id}`"))
            .detail("spec_id", id);
        if let Some(workspace) = crate::neighbours::qualifier(id) {
            error.no_workspace(workspace)
        } else if near.is_empty() {
            error.hint(Action::ListSpecs.to("see the ids"))
        } else {
            error.hint(format!("did you mean `{}`?", near.join("`, `"))).detail("near", json!(near))
        }
    }

    /// The same for an id whose front part is the name of no workspace.
    pub(crate) fn no_workspace(self, name: &str) -> Self {
        let hint = format!(
            "no workspace below this folder is called `{name}`; `hewto status --all` shows those that there are"
        );
        self.detail("workspace", name).hint(hint)
    }

    pub fn plan_not_found(item: &str) -> Self {
        Self::new(Kind::Refused, Key::PlanNotFound, format!("`{item}` has no plan"))
            .detail("spec_id", item)
            .hint(Action::CreatePlan { item: item.to_owned() })
    }

    pub fn invalid_transition(from: Lifecycle, to: Lifecycle) -> Self {
        let valid: Vec<&str> = from.transitions().iter().map(|state| state.as_str()).collect();
        let hint = if valid.is_empty() {
            format!("`{from}` is final; create a new spec to go on")
        } else {
            format!("from `{from}` it can go to `{}`", valid.join("`, `"))
        };
        Self::new(Kind::Refused, Key::InvalidTransition, format!("Cannot transition from '{from}' to '{to}'"))
            .detail("valid_transitions", json!(valid))
            .hint(hint)
    }

    pub fn dependency_not_satisfied(item: &str, blocking: &[String]) -> Self {
        Self::new(
            Kind::Refused,
            Key::DependencyNotSatisfied,
            format!("`{item}` waits for {}", quote_all(blocking)),
        )
        .detail("blocking", json!(blocking))
        .hint(
            Hint::from("finish these first, or ")
                .action(Action::UpdateSpec { item: item.to_owned() })
                .text(" and make the dependency soft"),
        )
    }

    /// What was asked for cannot be: the seed's "validation failed".
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, Key::ValidationFailed, message)
    }

    /// An argument is not what it has to be.
    pub fn invalid_argument(field: &str, expected: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let faults = argument_faults(field, expected, &message);
        Self::new(Kind::Usage, Key::InvalidParams, message).detail("faults", faults)
    }

    /// A cursor was made for another list or another caller; `expected` says which would do.
    pub fn foreign_cursor(expected: &str) -> Self {
        Self::invalid_argument("cursor", expected, "this cursor does not belong to this list")
            .hint("leave `cursor` out to begin at the first page")
    }

    /// An update that names nothing.
    pub(crate) fn nothing_to_update(fields: &str) -> Self {
        let (expected, message) = (format!("at least one of {fields}"), "there is nothing to update");
        let fault = json!({ "pointer": "", "field": "arguments", "expected": expected, "message": message });
        Self::new(Kind::Usage, Key::InvalidParams, message)
            .detail("faults", json!([fault]))
            .hint(format!("give at least one of {fields}"))
    }

    /// A document resists an edit that would keep the rest of it as it is.
    pub(crate) fn cannot_edit(
        path: &str,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::new(Kind::Refused, Key::DocumentInvalid, format!("cannot edit: `{path}`"))
            .detail("file", path)
            .hint(Action::Validate.to("see what is wrong with the file, and correct it by hand"))
            .caused_by(cause)
    }

    pub(crate) fn invalid_id(field: &str, id: &str, error: IdError) -> Self {
        let shown: String = id.chars().take(80).collect();
        Self::invalid_argument(field, "an id", format!("`{}` is not an id: {error}", shown.escape_debug()))
            .hint(Action::ListSpecs.to("see the ids"))
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
