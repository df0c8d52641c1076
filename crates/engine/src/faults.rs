//! All that is wrong with what somebody sent, gathered before anything is refused.

use hewto_store::Context;
use serde_json::{Value, json};

use crate::error::{Error, Hint, Key, Kind, Result};

/// The errors of one call.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    errors: Vec<Error>,
    /// Places that could not be read.
    misread: Vec<Value>,
}

impl Faults {
    /// Begins with what was wrong with how the call was written.
    pub(crate) fn begin(ctx: &Context) -> Self {
        let misread = ctx.misread();
        if misread.is_empty() {
            return Self::default();
        }
        let messages: Vec<&str> = misread.iter().filter_map(|fault| fault["message"].as_str()).collect();
        let error = Error::new(Kind::Usage, Key::InvalidParams, messages.join("; "));
        let error = error.detail("faults", json!(misread)).hint("correct every place that `faults` names");
        Self { errors: vec![error], misread: misread.iter().map(|fault| fault["pointer"].clone()).collect() }
    }

    pub(crate) fn push(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// The value, or a note of what is wrong with it.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether nothing is wrong so far; else one error that says all of it.
    pub(crate) fn finish(self) -> Result<()> {
        let mut errors = match self.misread.as_slice() {
            [] => self.errors,
            misread => told_once(misread, self.errors),
        };
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
        let mut first = errors.remove(0);
        // What may be written instead is worth telling of each.
        let known = errors.into_iter().flat_map(|error| error.details);
        for (name, value) in known.filter(|(name, _)| name.starts_with("valid_")) {
            first.details.entry(name).or_insert(value);
        }
        first.message = messages.join("; ");
        first.hint = hints.into_iter().reduce(|all, more| all.text("; ").hint(more));
        Err(first.detail("faults", json!(faults)))
    }
}

/// The errors without what they say about a place that could not be read: where a name is missing, nothing has that name.
fn told_once(misread: &[Value], errors: Vec<Error>) -> Vec<Error> {
    let mut errors = errors.into_iter();
    let first = errors.next();
    let others = errors.filter_map(|mut error| {
        let all = faults_of(&error);
        let left: Vec<Value> =
            all.iter().filter(|fault| !misread.contains(&fault["pointer"])).cloned().collect();
        if left.len() == all.len() {
            return Some(error);
        }
        let messages: Vec<&str> = left.iter().filter_map(|fault| fault["message"].as_str()).collect();
        error.message = messages.join("; ");
        (!left.is_empty()).then(|| error.detail("faults", json!(left)))
    });
    first.into_iter().chain(others).collect()
}

/// The faults that an error lists, or itself as one.
fn faults_of(error: &Error) -> Vec<Value> {
    if let Some(faults) = error.details.get("faults").and_then(Value::as_array) {
        return faults.clone();
    }
    if let Some(answers) = error.details.get("answers").and_then(Value::as_array) {
        let placed = |answer: &Value| {
            let text = |name: &str| answer[name].as_str().unwrap_or_default();
            let field = format!("answers/{}", text("question_id"));
            let told = hewto_core::failure::argument_faults(&field, text("expected"), text("message"));
            told.as_array().cloned().unwrap_or_default()
        };
        return answers.iter().flat_map(placed).collect();
    }
    let field = error.details.get("field").and_then(Value::as_str).unwrap_or_default();
    let expected = error.plain_hint().unwrap_or_default();
    let faults = hewto_core::failure::argument_faults(field, &expected, &error.full_message());
    faults.as_array().cloned().unwrap_or_default()
}
