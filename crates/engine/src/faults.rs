//! All that is wrong with what somebody sent, gathered before anything is refused.

use serde_json::{Value, json};

use crate::error::{Error, Hint, Result};

/// The errors of one call.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Error>);

impl Faults {
    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// The value, or a note of what is wrong with it.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether nothing is wrong so far; else one error that says all of it.
    pub(crate) fn finish(self) -> Result<()> {
        let mut errors = self.0;
        if errors.len() < 2 {
            return errors.pop().map_or(Ok(()), Err);
        }
        let faults: Vec<Value> = errors.iter().flat_map(faults_of).collect();
        let messages: Vec<String> = errors.iter().map(Error::full_message).collect();
        let mut hints: Vec<Hint> = Vec::new();
        for hint in errors.iter().filter_map(|error| error.hint.clone()) {
            if !hint.is_empty() && !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        let mut first = errors.swap_remove(0);
        first.message = messages.join("; ");
        first.hint = hints.into_iter().reduce(|all, more| all.text("; ").hint(more));
        Err(first.detail("faults", json!(faults)))
    }
}

/// The faults that an error lists, or itself as one.
fn faults_of(error: &Error) -> Vec<Value> {
    if let Some(faults) = error.details.get("faults").and_then(Value::as_array) {
        return faults.clone();
    }
    let field = error.details.get("field").and_then(Value::as_str).unwrap_or_default();
    let expected = error.plain_hint().unwrap_or_default();
    let faults = hewto_core::failure::argument_faults(field, &expected, &error.full_message());
    faults.as_array().cloned().unwrap_or_default()
}
