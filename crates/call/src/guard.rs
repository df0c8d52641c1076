//! What becomes of a panic: an answer (D-6).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hewto_engine::{Error, Key, Kind, Result};

/// Runs `work`; a panic in it is an `internal_error`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // What the work had borrowed is not looked at again: the call ends here.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// The answer to a call whose work panicked.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Error {
    internal_error(format!("this is a bug in hewto: {}", panic_text(panic)))
}

/// The answer to a call that failed for a reason that is not the caller's.
pub fn internal_error(message: String) -> Error {
    Error::new(Kind::Machine, Key::InternalError, message)
        .hint("look at the current state before you repeat the call, and report the bug")
}

/// What a panic says.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let outcome: Result<()> = guarded(|| panic!("no {}", "luck"));
        let error = outcome.unwrap_err();
        assert_eq!(error.key.as_str(), "internal_error");
        assert!(error.message.ends_with("no luck"), "{}", error.message);
    }
}
