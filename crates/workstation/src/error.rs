//! The one error every use case returns.
//!
//! It carries what an agent acts on (a key, a message, a hint, details). It is rendered by the
//! adapters, never here.

use std::fmt;
use std::io;

pub(crate) use hewto_core::failure::{Action, Hint, Key};
use hewto_core::failure::{Kind, argument_faults};
use hewto_core::interrupt::Interrupted;
use rustix::io::Errno;
use serde_json::{Map, Value};

/// A failed use case.
#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    /// What to act on.
    pub key: Key,
    pub message: String,
    pub hint: Option<Hint>,
    /// Further fields of the error object; boxed, because every answer may be one.
    pub details: Box<Map<String, Value>>,
    source: Option<io::Error>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn refused(key: Key, message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, key, message)
    }

    pub(crate) fn machine(key: Key, message: impl Into<String>) -> Self {
        Self::new(Kind::Machine, key, message)
    }

    /// An argument is not what it has to be.
    pub(crate) fn invalid_argument(field: &str, expected: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let faults = argument_faults(field, expected, &message);
        Self::new(Kind::Usage, Key::InvalidParams, message).detail("faults", faults)
    }

    fn new(kind: Kind, key: Key, message: impl Into<String>) -> Self {
        Self { kind, key, message: message.into(), hint: None, details: Box::default(), source: None }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub(crate) fn caused_by(mut self, source: impl Into<io::Error>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// A system call failed on a path that the caller knows by this name.
    pub(crate) fn io(doing: &str, path: &str, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Self::refused(Key::NotFound, format!("nothing is at `{path}`"))
                .hint(Action::ListFolder.to("see the names")),
            Some(Errno::NOTDIR) => {
                Self::refused(Key::NotADirectory, format!("a part of the path is not a folder: `{path}`"))
            }
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {
                Self::refused(Key::PermissionDenied, format!("cannot {doing}: `{path}`")).caused_by(error)
            }
            Some(Errno::LOOP) => {
                Self::refused(Key::TooManyLinks, format!("too many symbolic links on the way: `{path}`"))
            }
            Some(Errno::NAMETOOLONG) => {
                Self::invalid_argument("path", "a shorter path", "the path is too long")
            }
            Some(Errno::EXIST) => Self::exists(path),
            _ => Self::machine(Key::IoError, format!("cannot {doing}: `{path}`")).caused_by(error),
        }
        .detail("path", path)
    }

    pub(crate) fn exists(path: &str) -> Self {
        Self::refused(Key::AlreadyExists, format!("something is already at `{path}`"))
            .hint("choose another destination, or delete that one first")
            .detail("path", path)
    }

    /// The message with its cause.
    pub fn full_message(&self) -> String {
        match &self.source {
            Some(source) => format!("{}: {source}", self.message),
            None => self.message.clone(),
        }
    }
}

impl From<Interrupted> for Error {
    fn from(why: Interrupted) -> Self {
        match why {
            Interrupted::Cancelled => Self::machine(Key::Cancelled, "the call was cancelled"),
            Interrupted::TimedOut => Self::new(Kind::Machine, Key::Timeout, "the call ran out of time")
                .hint("ask for less at once: a smaller folder, a page, a line range"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full_message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
