//! What a person has looked at: kept on this machine, for them alone, so that the next look shows what is new.
//!
//! It decides nothing and may be deleted: without it everything is new.

use std::collections::BTreeSet;
use std::time::Duration;

use hewto_core::review::{Digest, Meaning, Unit, differences};
use hewto_store::{Context, LocalKey};
use serde::{Deserialize, Serialize};
use similar::{Algorithm, ChangeTag, TextDiff};

use super::snapshot;
use super::subject::Subject;
use crate::error::Result;
use crate::view::{ComparedUnit, DiffPiece, SinceLook};
use crate::workspace::Workspace;

/// Longer texts are compared line by line.
const LONGEST_BY_WORD: usize = 64 * 1024;
/// A comparison that takes longer is not as fine as it could be.
const TIME_TO_COMPARE: Duration = Duration::from_millis(200);

/// What one person has seen of one item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Looks {
    /// Of the whole item, when they last looked at all of it.
    pub(super) digest: Option<String>,
    #[serde(default)]
    at: String,
    /// Pieces that they have seen as they stand.
    #[serde(default)]
    seen: BTreeSet<String>,
}

impl Looks {
    pub(crate) fn read(ws: &Workspace, person: &str, item: &str) -> Self {
        let kept = ws.store().machine().read_local(&place(person, item)).ok().flatten();
        kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    pub(super) fn keep(&self, ws: &Workspace, person: &str, item: &str) {
        let Ok(bytes) = serde_json::to_vec(self) else { return };
        if let Err(error) = ws.store().machine().write_local(&place(person, item), &bytes) {
            tracing::debug!(%error, "what was seen cannot be kept");
        }
    }

    pub(crate) fn has_seen(&self, mark: &str) -> bool {
        self.seen.contains(mark)
    }

    /// How many pieces are new or different since; nothing where they have never looked at all of it.
    fn news(&self, now: &Subject) -> Option<usize> {
        let digest = self.digest.as_deref()?;
        if digest == now.digest.to_string() {
            return Some(0);
        }
        Some(now.meaning.units().iter().filter(|unit| !self.has_seen(&unit_mark(unit))).count())
    }

    /// What is different since, where they have looked at all and it is known what they saw.
    pub(crate) fn since(&self, ws: &Workspace, now: &Subject) -> Option<SinceLook> {
        let digest: Digest = self.digest.as_deref()?.parse().ok()?;
        let before = snapshot::find(ws, &digest)?;
        Some(SinceLook {
            digest: digest.to_string(),
            at: self.at.clone(),
            differences: compare(&before, &now.meaning),
        })
    }
}

/// How much of an item is new to a person who has looked at all of it before.
pub(crate) fn new_since_look(ws: &Workspace, ctx: &Context, id: &str, person: &str) -> Option<usize> {
    let looks = Looks::read(ws, person, id);
    // Most items nobody has looked at, and those are not read.
    looks.digest.as_ref()?;
    looks.news(&Subject::load(ws, ctx, id).ok()?)
}

/// A person has looked at everything that this digest stands for.
pub fn note_look(ws: &Workspace, ctx: &Context, id: &str, person: &str, shown: &str) -> Result<()> {
    let subject = Subject::load(ws, ctx, id)?;
    if subject.digest.to_string() != shown {
        return Ok(());
    }
    snapshot::keep(ws, &subject.meaning);
    let name = subject.name();
    let looks = Looks {
        digest: Some(shown.to_owned()),
        at: ctx.now_rfc3339(),
        seen: subject.meaning.units().iter().map(unit_mark).collect(),
    };
    looks.keep(ws, person, &name);
    Ok(())
}

/// A person has, or has not, seen one requirement as it stands.
pub fn note_seen(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    person: &str,
    requirement: (&str, &str),
    seen: bool,
) -> Result<()> {
    let subject = Subject::load(ws, ctx, id)?;
    let name = subject.name();
    let mut looks = Looks::read(ws, person, &name);
    let (capability, requirement) = requirement;
    for unit in subject.meaning.units() {
        let is_meant = unit.place.requirement.as_deref() == Some(requirement)
            && unit.place.capability.as_deref().unwrap_or(&name) == capability;
        if is_meant && seen {
            looks.seen.insert(unit_mark(&unit));
        } else if is_meant {
            looks.seen.remove(&unit_mark(&unit));
        }
    }
    looks.keep(ws, person, &name);
    Ok(())
}

/// What is different between what somebody was shown and what is there now; nothing where the former is not known.
pub fn compared(ws: &Workspace, ctx: &Context, id: &str, shown: &str) -> Result<Option<Vec<ComparedUnit>>> {
    let subject = Subject::load(ws, ctx, id)?;
    let before = shown.parse().ok().and_then(|digest| snapshot::find(ws, &digest));
    Ok(before.map(|before| compare(&before, &subject.meaning)))
}

/// Keeps what is shown, so that a verdict on it can be told from one on what comes later.
pub(crate) fn keep_shown(ws: &Workspace, subject: &Subject) {
    if snapshot::find(ws, &subject.digest).is_none() {
        snapshot::keep(ws, &subject.meaning);
    }
}

/// What a piece is known by as long as it reads the same.
pub(crate) fn unit_mark(unit: &Unit) -> String {
    let digest = Digest::of(format!("{}\n{}", unit.place.label(), unit.text).as_bytes()).to_string();
    digest[..16].to_owned()
}

fn compare(before: &Meaning, after: &Meaning) -> Vec<ComparedUnit> {
    let found = differences(Some(before), after).into_iter();
    found
        .map(|difference| ComparedUnit {
            place: difference.place.label(),
            kind: difference.kind.as_str().to_owned(),
            words: words(
                difference.before.as_deref().unwrap_or_default(),
                difference.after.as_deref().unwrap_or_default(),
            ),
        })
        .collect()
}

/// Two texts as words that stayed, went and came.
pub(crate) fn words(before: &str, after: &str) -> Vec<DiffPiece> {
    let piece = |op: &str, text: &str| DiffPiece { op: op.to_owned(), text: text.to_owned() };
    match (before, after) {
        (before, after) if before == after => {
            return if after.is_empty() { Vec::new() } else { vec![piece("same", after)] };
        }
        ("", after) => return vec![piece("new", after)],
        (before, "") => return vec![piece("gone", before)],
        _ => {}
    }
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Patience).timeout(TIME_TO_COMPARE);
    let by_word = before.len().max(after.len()) <= LONGEST_BY_WORD;
    let diff = if by_word { config.diff_words(before, after) } else { config.diff_lines(before, after) };
    let mut pieces = Vec::new();
    let mut run: Vec<(ChangeTag, &str)> = Vec::new();
    for change in diff.iter_all_changes() {
        let (tag, text) = (change.tag(), change.value());
        // A blank between two changed words belongs to both: `in this order` became `on one page`, not word by word.
        let joins = tag != ChangeTag::Equal || (!run.is_empty() && text.trim_matches(' ').is_empty());
        if !joins {
            push_run(&mut pieces, &std::mem::take(&mut run));
        }
        run.push((tag, text));
        if !joins {
            push_run(&mut pieces, &std::mem::take(&mut run));
        }
    }
    push_run(&mut pieces, &run);
    pieces
}

/// Adds neighbouring changes: as one replacement where words went and others came, else one by one.
fn push_run(pieces: &mut Vec<DiffPiece>, run: &[(ChangeTag, &str)]) {
    let mut push = |op: &str, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.op == op => last.text.push_str(text),
        _ => pieces.push(DiffPiece { op: op.to_owned(), text: text.to_owned() }),
    };
    let changes = run.iter().rposition(|(tag, _)| *tag != ChangeTag::Equal).map_or(0, |last| last + 1);
    let (run, blank_behind) = run.split_at(changes);
    let side = |without: ChangeTag| -> String {
        run.iter().filter(|(tag, _)| *tag != without).map(|(_, text)| *text).collect()
    };
    let (gone, new) = (side(ChangeTag::Insert), side(ChangeTag::Delete));
    if gone.trim().is_empty() || new.trim().is_empty() {
        for (tag, text) in run {
            let op = match tag {
                ChangeTag::Equal => "same",
                ChangeTag::Delete => "gone",
                ChangeTag::Insert => "new",
            };
            push(op, text);
        }
    } else {
        push("gone", &gone);
        push("new", &new);
    }
    for (_, text) in blank_behind {
        push("same", text);
    }
}

/// One file for each person and item, under a name that says nothing.
fn place(person: &str, item: &str) -> LocalKey {
    let name = Digest::of(format!("{person}\n{item}").as_bytes()).to_string();
    LocalKey::Looked(name[..32].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[DiffPiece]) -> String {
        pieces
            .iter()
            .map(|piece| match piece.op.as_str() {
                "gone" => format!("[-{}-]", piece.text),
                "new" => format!("{{+{}+}}", piece.text),
                _ => piece.text.clone(),
            })
            .collect()
    }

    #[test]
    fn a_changed_word_is_told_as_a_word() {
        let pieces = words("SHALL let a customer in", "SHALL let a member in");
        assert_eq!(written(&pieces), "SHALL let a [-customer-]{+member+} in");
        assert_eq!(written(&words("", "new")), "{+new+}");
        assert_eq!(written(&words("old", "")), "[-old-]");
        assert_eq!(written(&words("same", "same")), "same");
        assert!(words("", "").is_empty());
    }

    #[test]
    fn words_that_are_replaced_side_by_side_are_one_replacement() {
        let pieces = words("all in this order.", "all on one page.");
        assert_eq!(written(&pieces), "all [-in this order.-]{+on one page.+}");
        assert_eq!(written(&words("a b c d", "a d")), "a [-b c -]d");
        assert_eq!(
            written(&words("the third step is", "the last field is")),
            "the [-third step-]{+last field+} is"
        );
    }

    #[test]
    fn a_line_of_a_megabyte_is_compared_in_no_time() {
        let (a, b) = ("x ".repeat(500_000), "x ".repeat(500_001));
        assert_eq!(words(&a, &b).len(), 2);
    }
}
