//! From a text in one of three notations to a state.

use std::str::FromStr;

use serde_json::{Map, Value};
use toon_format::ToonError;

use super::{BuildProgress, WorkflowState, braced};
use crate::diagnostic::Diagnostic;
use crate::document::front_matter::BOM;
use crate::document::line_of;
use crate::lifecycle::{Lifecycle, Phase};
use crate::rules::workspace::STATE_INVALID;

/// How deep values may be nested. Far below what the TOON encoder refuses, far above what anybody writes.
pub(super) const MAX_DEPTH: usize = 32;

pub(super) fn read(text: &str) -> Result<WorkflowState, Diagnostic> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let Value::Object(map) = decode(text)? else {
        return Err(invalid(1, "it holds no keys"));
    };
    if depth(&map) > MAX_DEPTH {
        return Err(invalid(1, "its values are nested too deeply"));
    }
    Reader { text, map }.state()
}

fn decode(text: &str) -> Result<Value, Diagnostic> {
    if !text.trim_start().starts_with('{') {
        return toon_format::decode_strict(text).map_err(|error| match error {
            ToonError::ParseError { line, message, .. } => invalid(line.max(1), &message),
            other => invalid(1, &other.to_string()),
        });
    }
    serde_json::from_str(text).or_else(|_| {
        braced::read(text).map(Value::Object).map_err(|fault| invalid(line_of(text, fault.at), fault.message))
    })
}

struct Reader<'t> {
    text: &'t str,
    map: Map<String, Value>,
}

impl Reader<'_> {
    fn state(mut self) -> Result<WorkflowState, Diagnostic> {
        let lifecycle = self.name::<Lifecycle>("lifecycle", &Lifecycle::ALL.map(Lifecycle::as_str))?;
        let lifecycle = lifecycle.ok_or_else(|| self.missing("lifecycle"))?;
        let phases = [Phase::Spec, Phase::Plan, Phase::Build];
        let phase = self.name::<Phase>("phase", &phases.map(Phase::as_str))?.unwrap_or(Phase::Spec);
        let build_progress = self.progress()?;
        let spec_id = self.text("spec_id")?.unwrap_or_default();
        // Always written last among the known keys: where it is missing, so is the end of the file.
        let updated_at = self.text("updated_at")?.ok_or_else(|| self.missing("updated_at"))?;
        Ok(WorkflowState {
            spec_id,
            lifecycle,
            phase,
            build_progress,
            reason: self.text("reason")?,
            summary: self.text("summary")?,
            deviations: self.text("deviations")?,
            started_at: self.text("started_at")?,
            completed_at: self.text("completed_at")?,
            updated_at,
            extra: self.rest(),
        })
    }

    fn progress(&mut self) -> Result<BuildProgress, Diagnostic> {
        let map = match self.map.shift_remove("build_progress") {
            None | Some(Value::Null) => return Ok(BuildProgress::default()),
            Some(Value::Object(map)) => map,
            Some(_) => return Err(self.wrong("build_progress", "is not a group of keys")),
        };
        let mut inner = Reader { text: self.text, map };
        let percentage = match inner.map.shift_remove("percentage") {
            None | Some(Value::Null) => 0,
            Some(number) => number
                .as_u64()
                .and_then(|number| u8::try_from(number).ok())
                .filter(|percentage| *percentage <= 100)
                .ok_or_else(|| inner.wrong("percentage", "is not a whole number from 0 to 100"))?,
        };
        let current_step = inner.text("current_step")?;
        let notes = inner.text("notes")?;
        Ok(BuildProgress { percentage, current_step, notes, extra: inner.rest() })
    }

    /// What nobody has taken, in a map of its own: the one that was read keeps room for all its keys.
    fn rest(self) -> Map<String, Value> {
        self.map.into_iter().collect()
    }

    /// Takes a text. A number or a truth value that somebody left unquoted is the text it was written as.
    fn text(&mut self, key: &str) -> Result<Option<String>, Diagnostic> {
        match self.map.shift_remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
            Some(_) => Err(self.wrong(key, "is not text")),
        }
    }

    fn name<T: FromStr>(&mut self, key: &str, known: &[&str]) -> Result<Option<T>, Diagnostic> {
        let Some(name) = self.text(key)? else { return Ok(None) };
        let problem = || format!("is `{}`, not one of `{}`", name.escape_debug(), known.join("`, `"));
        name.parse().map(Some).map_err(|_| self.wrong(key, &problem()))
    }

    fn missing(&self, key: &str) -> Diagnostic {
        invalid(self.text.lines().count().max(1), &format!("`{key}` is missing"))
    }

    fn wrong(&self, key: &str, problem: &str) -> Diagnostic {
        invalid(line_of_key(self.text, key), &format!("`{key}` {problem}"))
    }
}

/// The line on which a key stands.
fn line_of_key(text: &str, key: &str) -> usize {
    let names = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '{', '"', ',']);
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', ' ', '\t']).starts_with(':'))
    };
    text.lines().position(names).map_or(1, |index| index + 1)
}

fn depth(map: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(of).max().unwrap_or(0),
            Value::Object(map) => depth(map),
            _ => 0,
        }
    }
    1 + map.values().map(of).max().unwrap_or(0)
}

fn invalid(line: usize, problem: &str) -> Diagnostic {
    let hint = "correct the file, or run `hewto validate --fix` to set it aside and rebuild it";
    STATE_INVALID.at(line, 0..0, format!("the state cannot be read: {problem}"), hint)
}
