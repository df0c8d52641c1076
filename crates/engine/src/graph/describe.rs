//! `workspace.describe`: where a workspace is and where its artifacts stand.

use std::path::{Path, PathBuf};

use hewto_store::{Context, LayoutKind, RelPath, Start};

use crate::error::{Error, Kind, Result};
use crate::view::WorkspaceView;
use crate::workspace::Workspace;

/// Describes the workspace that `path` belongs to; the open one when nothing is named.
pub fn describe(ws: &Workspace, ctx: &Context, path: Option<&str>) -> Result<WorkspaceView> {
    ctx.check()?;
    let Some(path) = path else { return Ok(show(ws)) };
    let named = ws.root().join(path);
    let start = named.ancestors().find(|place| place.is_dir()).unwrap_or(ws.root());
    let found = Workspace::discover(Start::Override { path: start, by: "path" })?;
    if !found.root().starts_with(ws.root()) {
        return Err(outside(path));
    }
    Ok(show(&found))
}

fn show(ws: &Workspace) -> WorkspaceView {
    let layout = ws.layout();
    let absolute = |path: &RelPath| text(&layout.absolute(path));
    let dot = if layout.has(LayoutKind::Specman) { ".specman" } else { ".hewto" };
    WorkspaceView {
        root: text(layout.root()),
        dot_specman: text(&layout.root().join(dot)),
        spec_dir: absolute(&layout.spec_home(LayoutKind::Specman).path),
        impl_dir: absolute(&layout.places().implementations),
        scratchpad_dir: absolute(&layout.places().scratchpad),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn outside(path: &str) -> Error {
    Error::new(
        Kind::Refused,
        "outside_workspace",
        None,
        format!("this leads out of the workspace: `{}`", PathBuf::from(path).display()),
    )
    .hint("name a path inside the workspace")
}
