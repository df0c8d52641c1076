//! What every text that comes in has to be before anything is decided with it.

use hewto_core::failure::{argument_faults, field_name};

use crate::error::{Error, Result};

/// Longest title, in characters.
pub(crate) const MAX_TITLE_CHARS: usize = 500;

/// A title: one line, not blank, not endless. Returned without the blanks around it.
pub(crate) fn title(field: &str, text: &str) -> Result<String> {
    let title = required(field, text)?;
    if title.chars().count() > MAX_TITLE_CHARS {
        let message = format!("`{}` has more than {MAX_TITLE_CHARS} characters", shown(field));
        return Err(fault(field, message, "keep the title short and put the rest into the description"));
    }
    if title.chars().any(char::is_control) {
        let message = format!("`{}` has line breaks or control characters", shown(field));
        return Err(fault(field, message, "write the title on one line"));
    }
    Ok(title)
}

/// A text that has to say something. Returned without the blanks around it.
pub(crate) fn required(field: &str, text: &str) -> Result<String> {
    let text = free(field, text)?;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        let name = shown(field);
        return Err(fault(field, format!("`{name}` is blank"), &format!("say something in `{name}`")));
    }
    Ok(trimmed.to_owned())
}

/// A text that may be anything but binary.
pub(crate) fn free(field: &str, text: &str) -> Result<String> {
    if text.contains('\0') {
        return Err(fault(
            field,
            format!("`{}` contains a NUL character", shown(field)),
            "send text, not binary data",
        ));
    }
    Ok(text.to_owned())
}

/// A field as people name it: `tasks[1]` for `tasks/1`.
fn shown(field: &str) -> String {
    field_name(field.split('/'))
}

/// What is wrong with a field, where, and what to write instead.
fn fault(field: &str, message: String, instead: &str) -> Error {
    let faults = argument_faults(field, instead, &message);
    Error::validation(message).detail("field", field).detail("faults", faults).hint(instead.to_owned())
}

/// The same for a text that may be absent; a blank one counts as absent.
pub(crate) fn optional(field: &str, text: Option<&str>) -> Result<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    let text = free(field, text)?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// Names for completion: those that begin with the typed text, then those that contain it.
pub(crate) fn completions<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let typed = typed.to_lowercase();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for name in names {
        let folded = name.to_lowercase();
        if folded.starts_with(&typed) {
            first.push(name.to_owned());
        } else if folded.contains(&typed) {
            then.push(name.to_owned());
        }
    }
    first.append(&mut then);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_binary_and_endless_texts_are_refused_with_the_seeds_number() {
        for text in ["", " \n\t", "a\0b", &"x".repeat(501), "two\nlines"] {
            let error = title("title", text).unwrap_err();
            assert_eq!(error.key.as_str(), "validation_failed", "{text:?}");
            let fault = &error.details["faults"][0];
            assert_eq!(fault["pointer"], "/title", "{text:?}");
            assert_eq!(fault["expected"].as_str(), error.plain_hint().as_deref(), "{text:?}");
        }
        assert_eq!(title("title", "  a b ").unwrap(), "a b");
        assert_eq!(title("title", &"ü".repeat(500)).unwrap().chars().count(), 500);
    }
}
