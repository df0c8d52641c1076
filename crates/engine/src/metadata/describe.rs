//! `metadata.describe`: what the front matter of an artifact says.

use hewto_core::artifact::ArtifactKind;
use hewto_core::document::Document;
use hewto_core::document::front_matter::FrontMatter;
use hewto_store::{Context, Doc, DocKey, RelPath};

use super::yaml::map_to_json;
use crate::error::{Error, Kind, Result};
use crate::graph::{Target, load, locate, not_found};
use crate::view::{ArtifactIdView, MetadataView};
use crate::workspace::Workspace;

/// Reads the front matter; a document without one answers with an empty one.
pub fn describe(ws: &Workspace, ctx: &Context, locator: &str) -> Result<MetadataView> {
    let graph = load(ws, ctx)?;
    let (doc, known) = match locate(ws, &graph, locator)? {
        Target::Artifact(node) => {
            let node = graph.node(node);
            (read(ws, ctx, node.path.as_deref().unwrap_or_default())?, Some(node))
        }
        Target::Document(path) => (read(ws, ctx, path.as_str())?, None),
        Target::Remote(_) => return Err(not_local(locator)),
    };
    let doc = doc.ok_or_else(|| not_found(&graph, locator))?;
    let front = front_matter(&doc)?;
    let data = map_to_json(&front.entries);
    let kind = known.map_or_else(|| kind_of(&front, doc.path.as_str()), |node| node.kind);
    let name = match known {
        Some(node) => node.name.clone(),
        None => front.string("name").unwrap_or(doc.path.as_str()).to_owned(),
    };
    Ok(MetadataView {
        id: ArtifactIdView { kind: kind.as_str().to_owned(), name },
        kind: kind.as_str().to_owned(),
        handle: known.map_or_else(|| doc.path.to_string(), |node| node.handle.clone()),
        path: doc.path.to_string(),
        front_matter: data,
    })
}

fn read(ws: &Workspace, ctx: &Context, path: &str) -> Result<Option<Doc>> {
    let Ok(path) = RelPath::parse(path) else { return Ok(None) };
    Ok(ws.store().read(ctx, &DocKey::File(path))?)
}

/// The front matter of a document, which has to be sound.
pub(super) fn front_matter(doc: &Doc) -> Result<FrontMatter> {
    let document = Document::parse(&doc.text);
    let Some(block) = document.front_matter() else { return Ok(FrontMatter::default()) };
    let front = FrontMatter::read(&doc.text, block);
    match front.diagnostics.iter().find(|fault| fault.code != "front-matter-duplicate-key") {
        None => Ok(front),
        Some(fault) => Err(Error::new(
            Kind::Refused,
            "document_invalid",
            None,
            format!("line {}: {}: `{}`", fault.line, fault.message, doc.path),
        )
        .detail("file", doc.path.as_str())
        .detail("line", fault.line)
        .hint(fault.hint.clone())),
    }
}

/// What a document is that stands outside the folders of artifacts: its keys tell, else its path.
fn kind_of(front: &FrontMatter, path: &str) -> ArtifactKind {
    match () {
        () if front.get("work_type").is_some() || front.get("target").is_some() => ArtifactKind::ScratchPad,
        () if front.get("spec").is_some() => ArtifactKind::Implementation,
        () => ArtifactKind::of_path(path),
    }
}

pub(super) fn not_local(locator: &str) -> Error {
    Error::new(Kind::Refused, "not_local", None, format!("`{locator}` is not in the workspace"))
        .hint("name an artifact of the workspace")
}
