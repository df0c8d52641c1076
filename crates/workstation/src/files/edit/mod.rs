//! `fs_edit`: exact replacements in a file, all of them or none.
//!
//! The edits work on bytes, so nothing beside them changes, whatever the encoding. LF in an edit also means the CRLF
//! of the file, and what is put in gets the file's line ends.

mod apply;
mod nearest;

use std::io::Read as _;

use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;

use self::apply::{Applied, NotApplied, apply};
use self::nearest::nearest;
use super::read::too_large;
use super::text::{is_binary, without_bom};
use super::write::{replace, spot_to_write};
use crate::call::Call;
use crate::confine::open_child_regular;
use crate::error::{Action, Error, Key, Result};
use crate::page::budget;
use crate::show::{beginning, json_chars, show_bytes};
use crate::station::Workstation;

/// How long a diff may be looked for before a coarser one is good enough.
const DIFF_TIME: std::time::Duration = std::time::Duration::from_secs(2);
/// How many of several matches are named.
const NAMED_MATCHES: usize = 10;

/// What to edit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFile {
    pub path: String,
    pub edits: Vec<Edit>,
    /// Show the diff and write nothing
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub dry_run: bool,
    #[schemars(range(min = 1000, max = 2_000_000))]
    pub max_chars: Option<usize>,
}

/// One replacement; `old_text` has to stand in the file exactly once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "")]
pub struct Edit {
    pub old_text: String,
    pub new_text: String,
}

/// An edited file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditView {
    pub path: String,
    /// How many edits were made
    pub edits: usize,
    /// Whether the file is different from before
    pub changed: bool,
    /// Whether nothing was written because a dry run was asked for
    pub dry_run: bool,
    /// What changed, as a unified diff
    pub diff: String,
    /// Whether the end of the diff is left out; ask for more with `max_chars`
    pub truncated: bool,
}

/// Edits a file.
pub fn edit(station: &Workstation, call: &Call<'_>, request: &EditFile) -> Result<EditView> {
    if request.edits.is_empty() {
        return Err(Error::invalid_argument("edits", "at least one edit", "there are no edits"));
    }
    if let Some(index) = request.edits.iter().position(|edit| edit.old_text.is_empty()) {
        let field = format!("edits/{index}/old_text");
        return Err(Error::invalid_argument(&field, "the text to replace", "`old_text` is empty")
            .hint(Action::AppendToFile.to("add text at the end, or name the text beside the place")));
    }
    // Looked at first, so that an edit of nothing makes no folders.
    let wanted = station.roots().wanted("path", &request.path)?;
    station.roots().open_file(&wanted)?;
    let spot = spot_to_write(station, &request.path)?;
    let _turn = station.turns().take(&[&spot], call)?;
    let spot = spot.seen_again()?;
    let shown = spot.shown.as_str();
    let mut open = open_child_regular(&spot.folder, spot.name()?, shown)?;
    let most = station.limits().edit_bytes;
    if open.size() > most {
        return Err(too_large(&open, most, shown).hint("a file of this size has to be edited by other means"));
    }
    let mut old = Vec::new();
    (&mut open.file).take(most).read_to_end(&mut old).map_err(|error| Error::io("read", shown, error))?;
    if is_binary(&old) {
        return Err(Error::refused(Key::BinaryFile, format!("`{shown}` is not text")).detail("path", shown));
    }
    let (text, bom) = without_bom(&old);
    let bom = &old[..if bom { old.len() - text.len() } else { 0 }];
    let Applied { text: new } =
        apply(text, &request.edits).map_err(|why| explain(&why, text, &request.edits, shown, call))?;
    call.check()?;
    let diff = diff(text, &new, shown);
    let changed = new != text;
    if changed && !request.dry_run {
        replace(&spot, &[bom, &new].concat(), Some(&old), call)?;
    }
    let budget = budget(request.max_chars);
    let truncated = json_chars(&diff) > budget;
    Ok(EditView {
        path: shown.to_owned(),
        edits: request.edits.len(),
        changed,
        dry_run: request.dry_run,
        diff: if truncated { beginning(&diff, budget).to_owned() } else { diff },
        truncated,
    })
}

fn diff(old: &[u8], new: &[u8], shown: &str) -> String {
    // Compared as they are shown, or bytes that are no text would be lost on the way.
    let (old, new) = (show_bytes(old).text, show_bytes(new).text);
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(&old, &new);
    diff.unified_diff().header(&format!("a/{shown}"), &format!("b/{shown}")).to_string()
}

/// Says why an edit was not made, and what stands there instead.
fn explain(why: &NotApplied, text: &[u8], edits: &[Edit], shown: &str, call: &Call<'_>) -> Error {
    match why {
        NotApplied::Several { edit, lines } => {
            let count = lines.len();
            let named: Vec<String> = lines.iter().take(NAMED_MATCHES).map(ToString::to_string).collect();
            let dots = if count > NAMED_MATCHES { ", …" } else { "" };
            Error::refused(Key::SeveralMatches, format!("`old_text` appears {count} times in `{shown}`"))
                .hint(format!(
                    "add lines before or after it until it is unique; it is at line {}{dots}",
                    named.join(", ")
                ))
                .detail("edit", *edit)
                .detail("matches", count)
                .detail("lines", lines.iter().take(NAMED_MATCHES).copied().collect::<Vec<_>>())
        }
        NotApplied::NoMatch { edit, text: so_far } => {
            let error =
                Error::refused(Key::NoMatch, format!("`old_text` is not in `{shown}`")).detail("edit", *edit);
            let wanted = &edits[*edit].old_text;
            let text = if so_far.is_empty() { text } else { so_far };
            match nearest(text, wanted, call) {
                Some(nearest) => error
                    .hint(nearest.difference.clone())
                    .detail("nearest", serde_json::to_value(&nearest).unwrap_or_default()),
                None => error.hint("read the file again: nothing in it is similar"),
            }
        }
    }
    .detail("path", shown)
}
