//! Why a server cannot start.

use hewto_core::failure::{Key, Kind};

/// A server that does not start, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    /// Stable snake_case name to act on.
    pub key: Key,
    pub message: String,
    pub hint: Option<String>,
    pub source: Option<std::io::Error>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: Kind, key: Key, message: impl Into<String>) -> Self {
        Self { kind, key, message: message.into(), hint: None, source: None }
    }

    /// The options say something that cannot be.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, Key::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn caused_by(mut self, source: std::io::Error) -> Self {
        self.source = Some(source);
        self
    }
}
