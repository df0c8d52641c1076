//! What all failures have in common, whichever crate reports them.

use serde_json::{Value, json};

/// What sort of failure it is, which decides the exit code of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The answer is no: invalid, not found, refused.
    Refused,
    /// The call itself was wrong.
    Usage,
    /// The machine failed: disk, lock, time, a missing program, a bug.
    Machine,
}

/// The `faults` of an error about one argument.
pub fn argument_faults(field: &str, expected: &str, message: &str) -> Value {
    json!([{ "pointer": format!("/{field}"), "field": field, "expected": expected, "message": message }])
}
