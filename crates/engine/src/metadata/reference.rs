//! References that a client wants written: resolved first, and written as the document's own kind writes them.

use hewto_core::artifact::{ArtifactKind, Locator, ReferenceTarget, folder_of, is_url, resolve};
use hewto_core::document::front_matter::Value as Yaml;
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{DocKey, Located};
use serde::Deserialize;

use crate::error::{Error, Key, Kind, Result};
use crate::graph::{Target, bad_locator, locate, not_found, outside_workspace};
use crate::workspace::Workspace;

/// A reference as a client gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReferenceInput {
    pub target: String,
    /// `specification` or `implementation`; told by the target when absent.
    pub kind: Option<String>,
    pub optional: bool,
}

/// The artifact in whose document a reference is to stand.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    pub(crate) kind: ArtifactKind,
    /// Its document, below the workspace root.
    pub(crate) path: String,
}

/// What a reference means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meant {
    pub(crate) node: Option<NodeId>,
    pub(crate) kind: ArtifactKind,
    /// As it is to be written.
    pub(crate) written: String,
}

impl Holder {
    fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    /// Finds what a client means: seen from the document first, then from the workspace root.
    pub(crate) fn resolve(&self, ws: &Workspace, graph: &WorkspaceGraph, text: &str) -> Result<Meant> {
        let text = text.trim();
        if is_url(&self.path) {
            return self.resolve_address(graph, text);
        }
        if let Ok(ReferenceTarget::Inside(path)) = resolve(self.folder(), text)
            && let Some(node) = graph.at_path(&path).filter(|_| text.contains('/'))
        {
            return Ok(Meant { node: Some(node), kind: graph.node(node).kind, written: text.to_owned() });
        }
        if !text.contains(['/', ':']) {
            let kinds: &[ArtifactKind] = match self.kind {
                ArtifactKind::ScratchPad => &[ArtifactKind::ScratchPad],
                _ => &[ArtifactKind::Specification, ArtifactKind::Implementation],
            };
            if let Some(node) = kinds.iter().find_map(|kind| graph.named(*kind, text).first().copied()) {
                return Ok(Meant {
                    node: Some(node),
                    kind: graph.node(node).kind,
                    written: self.bare(graph, node, text),
                });
            }
        }
        if let Ok(ReferenceTarget::Inside(path)) = resolve(self.folder(), text)
            && text.contains(['/', '.'])
            && DocKey::named(&path).is_some()
            && matches!(Locator::parse(text), Ok(Locator::Path(_)))
        {
            match ws.store().locate(&path) {
                Located::Inside(_) => {
                    let kind = ArtifactKind::of_path(&path);
                    return Ok(Meant { node: None, kind, written: text.to_owned() });
                }
                Located::Outside => return Err(outside_workspace(text)),
                Located::Folder(_) | Located::Nowhere => {}
            }
        }
        match locate(ws, graph, text)? {
            Target::Artifact(node) => {
                let (kind, path) = (graph.node(node).kind, graph.node(node).path.as_deref());
                let path = path.ok_or_else(|| not_found(graph, text))?;
                Ok(Meant { node: Some(node), kind, written: self.write(graph, node, path) })
            }
            Target::Document(path) => {
                let kind = ArtifactKind::of_path(&path);
                Ok(Meant { node: None, kind, written: relative_path(self.folder(), &path) })
            }
            Target::Remote(url) => Ok(Meant { node: None, kind: ArtifactKind::of_path(&url), written: url }),
        }
    }

    /// A document on the web refers to others there; this workspace means nothing to its readers.
    fn resolve_address(&self, graph: &WorkspaceGraph, text: &str) -> Result<Meant> {
        match resolve(self.folder(), text) {
            Ok(ReferenceTarget::Url(url)) => {
                let kind = ArtifactKind::of_path(&url);
                Ok(Meant { node: graph.at_path(&url), kind, written: text.to_owned() })
            }
            Ok(_) => Err(Error::new(
                Kind::Refused,
                Key::NotRemote,
                format!("a document on the web cannot refer to this workspace: `{text}`"),
            )
            .hint("name an `https://` address, or a path as the document would")),
            Err(error) => Err(bad_locator(&error)),
        }
    }

    /// A bare name stays bare where names are how the layout refers to specs.
    fn bare(&self, graph: &WorkspaceGraph, node: NodeId, text: &str) -> String {
        match (self.kind, graph.node(node).kind) {
            (ArtifactKind::Specification, ArtifactKind::Specification)
            | (ArtifactKind::ScratchPad, ArtifactKind::ScratchPad) => text.to_owned(),
            _ => relative_path(self.folder(), graph.node(node).path.as_deref().unwrap_or(text)),
        }
    }

    fn write(&self, graph: &WorkspaceGraph, node: NodeId, path: &str) -> String {
        match (self.kind, graph.node(node).kind) {
            // Scratch pads refer to each other by name.
            (ArtifactKind::ScratchPad, ArtifactKind::ScratchPad) => {
                let folder = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
                folder.rsplit_once('/').map_or(folder, |(_, name)| name).to_owned()
            }
            _ => relative_path(self.folder(), path),
        }
    }
}

/// A path below the root as it is written in a document of `folder`.
pub(crate) fn relative_path(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut segments = vec![".."; from.len() - shared];
    segments.extend(&to[shared..]);
    segments.join("/")
}

/// A dependency as seed 002 writes it: a text, or a map when it is optional.
pub(super) fn dependency_item(written: &str, optional: bool) -> Yaml {
    if !optional {
        return Yaml::Text(written.to_owned());
    }
    Yaml::Map(vec![("ref".to_owned(), written.into()), ("optional".to_owned(), Yaml::Bool(true))])
}

/// A reference as seed 002 writes it: always a map.
pub(super) fn reference_item(written: &str, kind: &str, optional: bool) -> Yaml {
    Yaml::Map(vec![
        ("ref".to_owned(), written.into()),
        ("type".to_owned(), kind.into()),
        ("optional".to_owned(), Yaml::Bool(optional)),
    ])
}

/// Refuses what a document of this kind may not hang on.
pub(crate) fn require_kind(what: &str, allowed: &[ArtifactKind], meant: &Meant, text: &str) -> Result<()> {
    if allowed.contains(&meant.kind) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(|kind| kind.as_str()).collect();
    Err(Error::new(
        Kind::Refused,
        Key::WrongKind,
        format!("{what} is {}, not {}: `{text}`", meant.kind, names.join(" or ")),
    )
    .detail("expected", serde_json::json!(names))
    .hint(format!("name {} instead", names.join(" or "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_their_document_sees_them() {
        for (folder, path, expected) in [
            ("spec/a", "spec/b/spec.md", "../b/spec.md"),
            ("impl/a-rust", "spec/core/spec.md", "../../spec/core/spec.md"),
            ("", "spec/a/spec.md", "spec/a/spec.md"),
            ("spec/a", "spec/a/note.md", "note.md"),
        ] {
            assert_eq!(relative_path(folder, path), expected);
        }
    }
}
