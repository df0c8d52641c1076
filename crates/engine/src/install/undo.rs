//! What a file was before hewto came.

use hewto_store::ContentHash;

use super::{Part, Record};

/// What a file was before hewto came.
pub(crate) enum Before {
    /// `None`: there was no file.
    Text(Option<String>),
    Edited(String),
}

/// What a file was before hewto came, as far as its present text tells.
pub(crate) fn before(part: Option<&Part>, record: &Record, text: &str) -> Before {
    let is_untouched = ContentHash::of(text.as_bytes()) == record.after;
    match (&record.edit, record.before) {
        (_, None) if is_untouched => return Before::Text(None),
        (Some(edit), Some(before)) if is_untouched => {
            let restored = edit.undo_exactly(text).filter(|text| ContentHash::of(text.as_bytes()) == before);
            return restored.map_or_else(
                || Before::Edited("the manifest does not match it".to_owned()),
                |text| Before::Text(Some(text)),
            );
        }
        _ => {}
    }
    let (Some(part), Some(written)) = (part, &record.part) else {
        return Before::Edited("it was edited".to_owned());
    };
    match part.find(text) {
        Err(why) => Before::Edited(why.0),
        Ok(None) => Before::Text(Some(text.to_owned())),
        Ok(Some(there)) if there == *written => match take_out(part, record, text) {
            Some(rest) if record.before.is_none() && part.is_shell(&rest) => Before::Text(None),
            Some(rest) => Before::Text(Some(rest)),
            None => Before::Edited("hewto's part cannot be told apart from the rest".to_owned()),
        },
        Ok(Some(_)) => Before::Edited("hewto's part in it was edited".to_owned()),
    }
}

/// The text without the part: by the edit that put it there, else by what the part looks like.
fn take_out(part: &Part, record: &Record, text: &str) -> Option<String> {
    let is_out = |text: &String| matches!(part.find(text), Ok(None));
    let by_edit = record.edit.as_ref().and_then(|edit| edit.undo_anywhere(text)).filter(is_out);
    by_edit.or_else(|| part.remove(text).ok().filter(is_out))
}
