//! What `change_update` does to the texts of a change.

use hewto_core::delta::{DeltaDoc, edit};
use hewto_core::document::{Document, EolStyle};
use hewto_core::near::near;
use serde_json::json;

use super::ChangeFolder;
use crate::error::{Error, Result};

/// A delta without some of its requirements; nothing of it when none is left.
pub(super) fn taken_out(
    folder: &ChangeFolder,
    capability: &str,
    text: Option<&str>,
    names: &[String],
) -> Result<Option<String>> {
    let Some(mut text) = text.map(str::to_owned) else {
        let known: Vec<&str> = folder.deltas.iter().map(|delta| delta.capability.as_str()).collect();
        let error = Error::validation(format!("the change does not touch `{capability}`"));
        return Err(error
            .detail("field", format!("take_out/{capability}"))
            .hint(format!("it touches: {}", known.join(", "))));
    };
    if names.is_empty() {
        return Ok(None);
    }
    for name in names {
        text = match edit::take_out(&text, name.trim()) {
            Some(left) => left,
            None => return Err(not_in_delta(capability, &text, name)),
        };
    }
    let document = Document::parse(&text);
    Ok(Some(text.clone()).filter(|_| !DeltaDoc::read(&document).is_empty()))
}

fn not_in_delta(capability: &str, text: &str, name: &str) -> Error {
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    let known: Vec<&str> = delta.requirements().map(|(name, _)| name).collect();
    let mut close = near(name, known.iter().copied(), 3);
    if close.is_empty() {
        close = known.iter().take(3).map(|name| (*name).to_owned()).collect();
    }
    Error::validation(format!("the delta for `{capability}` says nothing about `{name}`"))
        .detail("field", format!("take_out/{capability}"))
        .detail("near", json!(close))
        .hint(format!("it speaks of `{}`", close.join("`, `")))
}

/// A proposal with another text in one of its sections, which is added where it is missing.
pub(super) fn with_section(text: &str, title: &str, new: &str) -> Option<String> {
    let eol = EolStyle::of(text);
    let new = eol.applied_to(new.trim());
    let document = Document::parse(text);
    let section = document
        .section(2, title)
        .or_else(|| document.sections().find(|section| section.heading().is(title)));
    let eol = eol.as_str();
    let edited = match section {
        Some(section) => {
            let body = section.body();
            let old = document.slice(body.clone());
            if old.trim() == new {
                return Some(text.to_owned());
            }
            let tail = if body.end < text.len() { eol } else { "" };
            format!("{}{eol}{new}{eol}{tail}{}", &text[..body.start], &text[body.end..])
        }
        None => format!("{}{eol}{eol}## {title}{eol}{eol}{new}{eol}", text.trim_end()),
    };
    let reads = {
        let document = Document::parse(&edited);
        let section = document.section(2, title);
        section.is_some_and(|section| document.slice(section.body()).trim() == new)
    };
    reads.then_some(edited)
}
