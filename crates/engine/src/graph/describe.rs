//! `workspace.describe`: where a workspace is, where its artifacts stand and how many there are.

use std::path::Path;

use hewto_core::artifact::ArtifactKind;
use hewto_core::workspace_graph::Standing;
use hewto_store::{Context, LayoutKind, Start};

use super::{load, outside_workspace};
use crate::error::Result;
use crate::view::{ArtifactCounts, WorkspaceView};
use crate::workspace::Workspace;

/// Describes the workspace that `path` belongs to; the open one when nothing is named.
pub fn describe(ws: &Workspace, ctx: &Context, path: Option<&str>) -> Result<WorkspaceView> {
    let Some(path) = path else { return show(ws, ctx) };
    let named = ws.root().join(path);
    // A file, or something that is still to be made, belongs to the folder above it.
    let start = named.ancestors().find(|place| place.is_dir()).unwrap_or(ws.root());
    let found = Workspace::discover(Start::Override { path: start, by: "path" })?;
    if !found.root().starts_with(ws.root()) {
        return Err(outside_workspace(path));
    }
    if found.root() == ws.root() { show(ws, ctx) } else { show(&found, ctx) }
}

fn show(ws: &Workspace, ctx: &Context) -> Result<WorkspaceView> {
    let layout = ws.layout();
    let absolute = |folder: &str| text(&ws.root().join(folder));
    Ok(WorkspaceView {
        root: text(layout.root()),
        dot_specman: absolute(&layout.places().dot),
        spec_dir: absolute(&layout.spec_home(LayoutKind::Specman).path),
        impl_dir: absolute(layout.places().implementations.as_str()),
        scratchpad_dir: absolute(layout.places().scratchpad.as_str()),
        counts: count(ws, ctx)?,
    })
}

fn count(ws: &Workspace, ctx: &Context) -> Result<ArtifactCounts> {
    let mut counts = ArtifactCounts::default();
    for (_, node) in load(ws, ctx)?.nodes().filter(|(_, node)| node.standing == Standing::Artifact) {
        *match node.kind {
            ArtifactKind::Specification => &mut counts.specifications,
            ArtifactKind::Implementation => &mut counts.implementations,
            ArtifactKind::ScratchPad => &mut counts.scratch_pads,
            ArtifactKind::Plan => &mut counts.plans,
            ArtifactKind::Change => &mut counts.changes,
            ArtifactKind::Decision => &mut counts.decisions,
            ArtifactKind::Task => &mut counts.tasks,
        } += 1;
    }
    Ok(counts)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
