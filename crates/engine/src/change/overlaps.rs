//! `change_overlaps`: requirements that several open changes touch.

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::overlap::{OpenDelta, Overlap, overlaps as find};
use hewto_store::Context;

use super::ChangeFolder;
use crate::error::Result;
use crate::view::{OverlapView, OverlapsView};
use crate::workspace::Workspace;

/// All overlaps among open changes.
pub fn overlaps(ws: &Workspace, ctx: &Context) -> Result<OverlapsView> {
    let folders = ChangeFolder::load_all(ws, ctx)?;
    Ok(OverlapsView { overlaps: among(&folders).into_iter().map(OverlapView::from).collect() })
}

/// The overlaps among these changes.
pub(crate) fn among(folders: &[ChangeFolder]) -> Vec<Overlap> {
    let files = folders.iter().flat_map(|folder| folder.deltas.iter().map(move |delta| (folder.id(), delta)));
    let documents: Vec<_> = files
        .map(|(change, delta)| (change, delta.capability.as_str(), Document::parse(&delta.document.text)))
        .collect();
    let deltas: Vec<_> = documents
        .iter()
        .map(|(change, capability, document)| (*change, *capability, DeltaDoc::read(document)))
        .collect();
    find(deltas.iter().map(|(change, capability, delta)| OpenDelta { change, capability, delta }))
}

impl From<Overlap> for OverlapView {
    fn from(overlap: Overlap) -> Self {
        Self {
            capability: overlap.capability,
            requirement: overlap.requirement,
            changes: overlap.changes,
            at_risk: overlap
                .at_risk
                .iter()
                .map(|risk| format!("`{}` of `{}` is not in `{}`", risk.scenario, risk.change, risk.lost_by))
                .collect(),
        }
    }
}
