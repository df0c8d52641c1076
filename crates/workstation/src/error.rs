//! The one error every use case returns.
//!
//! It carries what an agent acts on (`key`, the seed's number, a message, a hint, details). It is rendered by the
//! adapters, never here.

use std::fmt;
use std::io;

use hewto_core::failure::{Kind, argument_faults};
use hewto_core::interrupt::Interrupted;
use rustix::io::Errno;
use serde_json::{Map, Value};

/// A failed use case.
#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    /// Stable snake_case name to act on.
    pub key: &'static str,
    /// The seed's number, where it has one.
    pub code: Option<i32>,
    pub message: String,
    pub hint: Option<String>,
    /// Further fields of the error object; boxed, because every answer may be one.
    pub details: Box<Map<String, Value>>,
    source: Option<io::Error>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn refused(key: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, key, None, message)
    }

    pub(crate) fn machine(key: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Machine, key, None, message)
    }

    /// An argument is not what it has to be.
    pub(crate) fn invalid_argument(field: &str, expected: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let faults = argument_faults(field, expected, &message);
        Self::new(Kind::Usage, "invalid_params", Some(-32602), message).detail("faults", faults)
    }

    fn new(kind: Kind, key: &'static str, code: Option<i32>, message: impl Into<String>) -> Self {
        Self { kind, key, code, message: message.into(), hint: None, details: Box::default(), source: None }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub(crate) fn seed_code(mut self, code: i32) -> Self {
        self.code = Some(code);
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
            Some(Errno::NOENT) => Self::refused("not_found", format!("nothing is at `{path}`"))
                .hint("call `fs_list` on the folder to see the names"),
            Some(Errno::NOTDIR) => {
                Self::refused("not_a_directory", format!("a part of the path is no folder: `{path}`"))
            }
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {
                Self::refused("permission_denied", format!("cannot {doing}: `{path}`")).caused_by(error)
            }
            Some(Errno::LOOP) => {
                Self::refused("too_many_links", format!("too many symbolic links on the way: `{path}`"))
            }
            Some(Errno::NAMETOOLONG) => {
                Self::invalid_argument("path", "a shorter path", "the path is too long")
            }
            Some(Errno::EXIST) => Self::exists(path),
            _ => Self::machine("io_error", format!("cannot {doing}: `{path}`")).caused_by(error),
        }
        .detail("path", path)
    }

    pub(crate) fn exists(path: &str) -> Self {
        Self::refused("already_exists", format!("something is already at `{path}`"))
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
            Interrupted::Cancelled => Self::machine("cancelled", "the call was cancelled"),
            Interrupted::TimedOut => {
                Self::new(Kind::Machine, "timeout", Some(-32000), "the call ran out of time")
                    .hint("ask for less at once: a smaller folder, a page, a line range")
            }
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
