//! How a command ends: its verdict, its failure, and the exit code of each.
//!
//! Exit codes are decided here and nowhere else: 0 ok, 1 the answer is no, 2 usage, 3 the machine failed. `clarify`
//! keeps the codes of the original command: 1 the call is wrong, 2 usage or the machine failed. `upgrade` says 3 when it
//! left something to a person.

use std::io;
use std::process::ExitCode;

use hewto_engine::{Error, Key, Kind};

use crate::ui::{OutputError, Ui};

/// What a command returns.
pub(crate) type Outcome<T = Verdict> = Result<T, Failure>;

/// The answer of a command that ran to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    /// The command did its work and the answer is no, e.g. `validate` found errors.
    No,
    /// `upgrade` met files that somebody has edited, and put the new ones beside them.
    Beside,
}

/// Why a command did not run to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell the user.
    Told(Box<Error>),
    /// The same behind an answer that was given already: standard output has that, and nothing more.
    Beside(Box<Error>),
    /// The same in the shape of `clarify`.
    Clarify(Box<Error>),
    /// The user cannot be told: standard output is gone, or whoever read a stream.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Told(Box::new(error))
    }
}

impl From<hewto_http::Error> for Failure {
    fn from(error: hewto_http::Error) -> Self {
        let mut told = Error::new(error.kind, error.key, error.message);
        told.hint = error.hint.map(Into::into);
        match error.source {
            Some(source) => told.caused_by(source).into(),
            None => told.into(),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::Output(error.0)
    }
}

/// The call was wrong in a way that the argument parser could not see.
pub(crate) fn usage(message: impl Into<String>) -> Error {
    Error::new(Kind::Usage, Key::Usage, message)
}

/// A file or device that the user named does not work.
pub(crate) fn machine(message: impl Into<String>, cause: io::Error) -> Error {
    Error::new(Kind::Machine, Key::IoError, message).caused_by(cause)
}

/// Tells the user about a failure and picks the exit code.
pub(crate) fn conclude(ui: &mut Ui, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Verdict::Yes) => ExitCode::SUCCESS,
        Ok(Verdict::No) => ExitCode::from(1),
        Ok(Verdict::Beside) => ExitCode::from(3),
        Err(Failure::Told(error)) => {
            // When even this cannot be written there is nobody left to tell.
            let _ = ui.error(&error);
            exit_code(error.kind)
        }
        Err(Failure::Beside(error)) => {
            let _ = ui.error_beside(&error);
            exit_code(error.kind)
        }
        Err(Failure::Clarify(error)) => {
            let _ = ui.clarify_error(&error);
            ExitCode::from(if error.kind == Kind::Refused { 1 } else { 2 })
        }
        // `hewto status --watch | head` is no failure. An answer that nobody reads to its end never comes here: its verdict counts.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            let _ = ui.note(format_args!("error: cannot write to standard output: {error}"));
            exit_code(Kind::Machine)
        }
    }
}

pub(crate) fn exit_code(kind: Kind) -> ExitCode {
    match kind {
        Kind::Refused => ExitCode::from(1),
        Kind::Usage => ExitCode::from(2),
        Kind::Machine => ExitCode::from(3),
    }
}
