//! Artifacts as resources: their text, and how one knows that something is new.

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_core::workspace_graph::Standing;
use hewto_store::{Context, DocKey};

use super::{Target, load, locate, not_found};
use crate::error::Result;
use crate::workspace::Workspace;

/// The document of an artifact, as it stands.
pub fn document(ws: &Workspace, ctx: &Context, locator: &str) -> Result<String> {
    let graph = load(ws, ctx)?;
    let path = match locate(ws, &graph, locator)? {
        Target::Artifact(node) => graph.node(node).path.clone(),
        Target::Document(path) => Some(path),
        Target::Remote(_) => None,
    };
    // A change without a proposal is a folder, which has no text.
    let is_file = |path: &String| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let key = path.filter(is_file).and_then(|path| DocKey::named(&path));
    let doc = key.map(|key| ws.store().read(ctx, &key)).transpose()?.flatten();
    doc.map(|doc| doc.text).ok_or_else(|| not_found(&graph, locator))
}

/// Grows whenever the graph was made anew.
pub fn generation(ws: &Workspace, ctx: &Context) -> Result<u64> {
    load(ws, ctx)?;
    Ok(ws.graphs().generation())
}

/// A number that differs when the list of artifacts does.
pub fn list_mark(ws: &Workspace, ctx: &Context) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for (_, node) in load(ws, ctx)?.nodes().filter(|(_, node)| node.standing == Standing::Artifact) {
        (&node.handle, &node.name).hash(&mut hasher);
    }
    Ok(hasher.finish())
}
