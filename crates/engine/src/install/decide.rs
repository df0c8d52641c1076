//! What becomes of a part in a file: it is added, renewed, left as it is, or left to whoever wrote something else there.

use hewto_store::ContentHash;

use super::{Part, Record, Splice, Unreadable};

/// Why a configuration that connects the agent already is left alone.
pub(crate) const OWN_ENTRY: &str = "it already has its own entry `hewto`";

/// What is to be done.
pub(crate) enum Decision {
    /// It has it already.
    Unchanged,
    /// Something of hewto's stands there that a person has changed, or written.
    Theirs(&'static str),
    Write {
        /// Whether an earlier version of it was there.
        renews: bool,
        after: String,
        record: Record,
    },
}

/// Looks at the text of a file, and at what is known of it. A part that works is renewed only on wish: another place of
/// the program is no reason to change it.
pub(crate) fn decide(
    part: &Part,
    known: Option<&Record>,
    before: Option<&str>,
    renews_entries: bool,
) -> Result<Decision, Unreadable> {
    let text = before.unwrap_or_default();
    let (renews, base) = match part.find(text)? {
        None => (false, before.map(str::to_owned)),
        Some(there) if there == part.canonical() => return Ok(Decision::Unchanged),
        Some(there) if known.and_then(|record| record.part.as_ref()) == Some(&there) => {
            if matches!(part, Part::Entry(_)) && !renews_entries {
                return Ok(Decision::Unchanged);
            }
            (true, Some(without(part, known, text)?))
        }
        Some(_) => {
            return Ok(Decision::Theirs(match part {
                Part::Entry(_) => OWN_ENTRY,
                Part::Section => "its section on hewto was edited",
            }));
        }
    };
    let was_there = known.is_some_and(|record| record.before.is_some());
    let base = base.filter(|base| !renews || was_there || !base.is_empty());
    let after = part.add(base.as_deref().unwrap_or_default())?;
    let record = Record {
        before: base.as_ref().map(|text| ContentHash::of(text.as_bytes())),
        after: ContentHash::of(after.as_bytes()),
        edit: Some(Splice::between(base.as_deref().unwrap_or_default(), &after)),
        part: Some(part.canonical()),
    };
    Ok(Decision::Write { renews, after, record })
}

/// The text as it was before hewto's part came.
fn without(part: &Part, record: Option<&Record>, text: &str) -> Result<String, Unreadable> {
    let edit = record.and_then(|record| record.edit.as_ref());
    match edit.and_then(|edit| edit.undo_anywhere(text)) {
        Some(base) => Ok(base),
        None => part.remove(text),
    }
}
