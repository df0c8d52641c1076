//! The documents of a repository: decision record, architecture state, current task, agent prompt.
//!
//! Each has a `render` and a `read` that give back to one another what they were given, whatever a person wrote in
//! between. Readers also take the files of the original program, whose order of sections differs.

mod adr;
mod head;
mod lists;
mod prompt;
mod snapshot;
mod state;
mod task;

use thiserror::Error;

pub(super) use adr::date_of;
pub(crate) use adr::imported_head;
pub use adr::{Adr, Passage};
pub use prompt::AgentPrompt;
pub use state::ArchitectureState;
pub use task::{KNOWN, Task};

/// A document that hewto needs and cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct Malformed {
    /// 1-based.
    pub line: usize,
    pub message: String,
}

impl Malformed {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

#[cfg(test)]
mod tests;
