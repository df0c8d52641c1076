//! The envelope of seed 003: `status: error`, a code in capitals, and what to do next.

use serde_json::{Map, Value, json};

use crate::error::Error;

/// An error as the tools of seed 003 and the command `clarify` write it.
pub fn error_envelope(error: &Error, hint: Option<String>) -> Value {
    let mut inner = Map::new();
    inner.insert("code".to_owned(), error.key.as_str().to_ascii_uppercase().into());
    inner.insert("message".to_owned(), error.full_message().into());
    if !error.details.is_empty() {
        inner.insert("details".to_owned(), Value::Object(error.details.clone()));
    }
    if let Some(hint) = hint {
        inner.insert("recovery_hint".to_owned(), hint.into());
    }
    json!({ "status": "error", "error": inner })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Key, Kind};

    #[test]
    fn the_key_becomes_the_code_and_the_hint_the_way_out() {
        let error =
            Error::new(Kind::Refused, Key::RepoNotFound, "No git repository found").hint("Look elsewhere");
        assert_eq!(
            error_envelope(&error, error.plain_hint()),
            json!({"status": "error", "error": {
                "code": "REPO_NOT_FOUND",
                "message": "No git repository found",
                "recovery_hint": "Look elsewhere",
            }})
        );
        assert_eq!(
            error_envelope(&error.detail("path", "x"), None)["error"]["details"],
            json!({"path": "x"})
        );
    }
}
