//! The failures of seed 003. Their keys, in capitals, are its error codes; the adapters write its envelope.

use hewto_core::decision::answer::AnswerFault;
use hewto_core::decision::brought::BroughtFault;
use hewto_core::decision::record::Malformed;
use hewto_store::{CommitError, FileError, LockError, ReadError};
use serde_json::json;

use crate::error::{Error, Key, Kind};

pub(super) fn repo_not_found(message: impl Into<String>) -> Error {
    Error::new(Kind::Refused, Key::RepoNotFound, message)
        .hint("run from a git repository or provide `repo_path`")
}

pub(super) fn session_not_found(id: &str) -> Error {
    let shown: String = id.chars().take(80).collect();
    Error::new(Kind::Refused, Key::SessionNotFound, format!("no session `{}`", shown.escape_debug()))
        .hint("start a new session: call again without `session_id`")
}

pub(super) fn session_expired(id: &str) -> Error {
    Error::new(Kind::Refused, Key::SessionExpired, format!("session `{id}` has expired after 30 minutes"))
        .detail("session_id", id)
        .hint("start the clarification again without `session_id`")
}

pub(super) fn invalid_answers(faults: &[AnswerFault]) -> Error {
    let message = match faults {
        [fault] => format!("the answer to `{}` is not accepted: {}", fault.question_id, fault.message),
        many => format!("{} answers are not accepted", many.len()),
    };
    Error::new(Kind::Refused, Key::InvalidAnswer, message)
        .detail("answers", json!(faults))
        .hint("correct these answers and call again with the same `session_id`; the others are kept")
}

/// Questions of the caller's own that cannot be asked, each with its place and what to write instead.
pub(super) fn invalid_questions(faults: &[BroughtFault]) -> Error {
    let message = match faults {
        [fault] => format!("`{}`: {}", fault.pointer, fault.message),
        many => format!("{} faults in `questions`", many.len()),
    };
    not_accepted("INVALID_QUESTIONS", message)
        .detail("faults", json!(faults))
        .hint("write what `expected` says at each `pointer` and call again; nothing was asked")
}

/// `reason` is the finer code: why the validation failed.
pub(super) fn validation_failed(reason: &str, message: impl Into<String>) -> Error {
    Error::new(Kind::Machine, Key::ValidationFailed, message).detail("reason", reason)
}

/// The same, where the caller is wrong and not the repository.
pub(super) fn not_accepted(reason: &str, message: impl Into<String>) -> Error {
    Error::new(Kind::Refused, Key::ValidationFailed, message).detail("reason", reason)
}

pub(super) fn parse_error(path: &str, malformed: &Malformed) -> Error {
    Error::new(Kind::Machine, Key::ParseError, format!("cannot read: `{path}`: {malformed}"))
        .detail("path", path)
        .detail("line", malformed.line)
        .hint("correct the file by hand, or restore it from git; nothing was written")
}

pub(super) fn extraction_failed() -> Error {
    Error::new(Kind::Machine, Key::PatchExtractionFailed, "no decision can be read from the answers")
        .hint("answer more precisely and call again with the same `session_id`, or start again")
}

/// A model was to help, and nobody else was to.
pub(super) fn model_needed(reason: &str) -> Error {
    Error::new(Kind::Machine, Key::SystemError, format!("the model cannot be used: {reason}"))
        .hint("try again, or go without it: leave out `--llm-strict`")
}

pub(super) fn filesystem(error: FileError) -> Error {
    let hint = error.hint();
    Error::new(Kind::Machine, Key::FilesystemError, format!("cannot {}: `{}`", error.doing, error.path))
        .detail("path", error.path.as_str())
        .hint(hint)
        .caused_by(error.source)
}

pub(super) fn unreadable(error: ReadError) -> Error {
    match error {
        ReadError::File(error) => filesystem(error),
        ReadError::Locked(error) => unlocked(error),
        ReadError::NotUtf8 { ref path, .. } => {
            parse_error(path.as_str(), &Malformed { line: 1, message: error.to_string() })
        }
        ReadError::Interrupted(why) => why.into(),
    }
}

pub(super) fn unlocked(error: LockError) -> Error {
    let hint = error.hint();
    match error {
        LockError::File(error) => filesystem(error),
        LockError::Interrupted(why) => why.into(),
        other => Error::new(Kind::Machine, Key::FilesystemError, other.to_string()).hint(hint),
    }
}

pub(super) fn uncommitted(error: CommitError) -> Error {
    let hint = error.hint();
    match error {
        CommitError::File(error) => filesystem(error),
        CommitError::Interrupted(why) => why.into(),
        CommitError::Exists { ref path }
        | CommitError::Gone { ref path }
        | CommitError::Changed { ref path } => {
            let path = path.to_string();
            Error::new(Kind::Machine, Key::FilesystemError, error.to_string()).detail("path", path).hint(hint)
        }
        other => Error::new(Kind::Machine, Key::FilesystemError, other.to_string()).hint(hint),
    }
}
