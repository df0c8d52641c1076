//! Whether a test speaks of what its scenario promises: a hint for readers, never a verdict.

use hewto_core::proof::Link;
use hewto_core::proof::matrix::Row;
use hewto_store::{Context, DocKey};

use crate::workspace::Workspace;

/// For how many promises at once tests are read.
pub(crate) const MOST_ROWS: usize = 50;

/// What to tell of a promise whose THEN names texts and numbers of which its tests have none.
pub(crate) fn note(ws: &Workspace, ctx: &Context, row: &Row) -> Option<String> {
    if row.tests.is_empty() {
        return None;
    }
    let words = row.promise.then_words();
    if words.is_empty() {
        return None;
    }
    let texts: Vec<String> = row.tests.iter().filter_map(|link| text_of(ws, ctx, link)).collect();
    let is_named = |word: &String| texts.iter().any(|text| text.contains(word.as_str()));
    if texts.is_empty() || words.iter().any(is_named) {
        return None;
    }
    let shown: Vec<String> = words.iter().take(3).map(|word| format!("`{word}`")).collect();
    Some(format!("its test names nothing of what THEN promises: {}", shown.join(", ")))
}

/// The lines of a linked test.
fn text_of(ws: &Workspace, ctx: &Context, link: &Link) -> Option<String> {
    let anchor = link.anchor.as_ref()?;
    let bytes = ws.store().read_bytes(ctx, &DocKey::named(&link.path)?).ok().flatten()?;
    let text = String::from_utf8_lossy(&bytes);
    let first = usize::try_from(anchor.start).ok()?.saturating_sub(1);
    let count = usize::try_from(anchor.end.saturating_sub(anchor.start)).ok()? + 1;
    Some(text.lines().skip(first).take(count).collect::<Vec<_>>().join("\n"))
}
