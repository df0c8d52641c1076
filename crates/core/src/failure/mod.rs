//! What all failures have in common, whichever crate reports them.

mod action;
mod hint;
mod key;

use serde_json::{Value, json};

pub use self::action::Action;
pub use self::hint::{Hint, Names, Wording};
pub use self::key::{Key, key_table};

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
    let name = field_name(field.split('/'));
    json!([{ "pointer": format!("/{field}"), "field": name, "expected": expected, "message": message }])
}

/// How people name what a pointer with these parts leads to: `edits[0].old_text`.
pub fn field_name<P: AsRef<str>>(parts: impl IntoIterator<Item = P>) -> String {
    let mut name = String::new();
    for part in parts {
        let part = part.as_ref();
        if !name.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.extend(["[", part, "]"]);
        } else {
            name.extend([if name.is_empty() { "" } else { "." }, part]);
        }
    }
    name
}
