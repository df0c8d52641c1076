//! All that is wrong with what somebody sent, gathered before anything is refused.

use hewto_store::Context;
use serde_json::{Value, json};

use crate::error::{Error, Hint, Key, Kind, Result};

/// The errors of one call.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Error>);

impl Faults {
    /// Begins with what was wrong with how the call was written.
    pub(crate) fn begin(ctx: &Context) -> Self {
        let misread = ctx.misread();
        if misread.is_empty() {
            return Self::default();
        }
        let messages: Vec<&str> = misread.iter().filter_map(|fault| fault["message"].as_str()).collect();
        let error = Error::new(Kind::Usage, Key::InvalidParams, messages.join("; "));
        Self(vec![error.detail("faults", json!(misread)).hint("correct every place that `faults` names")])
    }

    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// The value, or a note of what is wrong with it.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether nothing is wrong so far; else one error that says all of it.
    pub(crate) fn finish(self) -> Result<()> {
        let mut errors = told_once(self.0);
        if errors.len() < 2 {
            return errors.pop().map_or(Ok(()), |error| {
                let faults = faults_of(&error);
                let is_placed = error.details.contains_key("field") && !error.details.contains_key("faults");
                Err(if is_placed { error.detail("faults", json!(faults)) } else { error })
            });
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

/// The errors without those about a place that is told already: where a name is missing, nothing has that name.
fn told_once(errors: Vec<Error>) -> Vec<Error> {
    let mut places: Vec<Value> = Vec::new();
    let mut told = Vec::with_capacity(errors.len());
    for error in errors {
        let own: Vec<Value> = faults_of(&error).into_iter().map(|fault| fault["pointer"].clone()).collect();
        let is_new = |place: &Value| *place == "/" || !places.contains(place);
        if own.is_empty() || own.iter().any(is_new) {
            places.extend(own);
            told.push(error);
        }
    }
    told
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
