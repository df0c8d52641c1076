//! `change_diff`: what a change does, told in requirements and scenarios.

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::page::chars_of;
use hewto_core::semantic_diff::diff_delta;
use hewto_store::Context;

use super::ChangeFolder;
use crate::error::Result;
use crate::view::{DiffView, DifferenceView};
use crate::workspace::Workspace;

/// Everything that would be different in the specs, as far as it fits into `max_chars`.
pub fn diff(ws: &Workspace, ctx: &Context, id: &str, max_chars: usize) -> Result<DiffView> {
    let folder = ChangeFolder::load(ws, ctx, id)?;
    let mut differences = Vec::new();
    for delta in &folder.deltas {
        let current = delta.current(ws, ctx)?;
        let document = Document::parse(&delta.document.text);
        let read = DeltaDoc::read(&document);
        let found = diff_delta(current.as_ref().map(|doc| doc.text.as_str()), &read);
        differences.extend(found.into_iter().map(|difference| DifferenceView {
            capability: delta.capability.to_string(),
            text: difference.line(),
            requirement: difference.requirement,
            scenario: difference.scenario,
        }));
    }
    let mut left = max_chars;
    let fits = |difference: &&DifferenceView| {
        let chars = chars_of(difference);
        let fits = chars <= left;
        left = left.saturating_sub(chars);
        fits
    };
    let shown = differences.iter().take_while(fits).count();
    let rest = differences.len() - shown;
    differences.truncate(shown);
    let left_out = (rest > 0).then(|| format!("{rest} more differences: ask with a larger `max_chars`"));
    Ok(DiffView { change_id: folder.id().to_owned(), differences, left_out })
}
