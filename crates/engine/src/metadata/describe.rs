//! `metadata.describe`: what the front matter of an artifact says.

use hewto_core::artifact::ArtifactKind;
use hewto_core::document::Document;
use hewto_core::document::front_matter::FrontMatter;
use hewto_store::{Context, Doc, DocKey};

use super::yaml::map_to_json;
use crate::error::{Error, Key, Kind, Result};
use crate::graph::{Target, load, locate, not_found};
use crate::remote::{self, NamedBy, RemoteDocument, Wanted};
use crate::view::{ArtifactIdView, MetadataView, RemoteView};
use crate::workspace::Workspace;

/// Reads the front matter; a document without one answers with an empty one.
pub fn describe(ws: &Workspace, ctx: &Context, locator: &str) -> Result<MetadataView> {
    let graph = load(ws, ctx)?;
    match locate(ws, &graph, locator)? {
        Target::Artifact(node) => {
            let node = graph.node(node);
            let path = node.path.clone().unwrap_or_default();
            let doc = read(ws, ctx, &path)?.ok_or_else(|| not_found(&graph, locator))?;
            let front = front_matter(&doc.text, &path)?;
            Ok(MetadataView { path: Some(path), ..view(node.kind, &node.name, &node.handle, &front) })
        }
        Target::Document(path) => {
            let doc = read(ws, ctx, &path)?.ok_or_else(|| not_found(&graph, locator))?;
            let found = loose(&doc.text, &path)?;
            Ok(MetadataView { path: Some(path), ..found })
        }
        Target::Remote(url) => {
            let document = remote::fetch_or_kept(ws, ctx, &url, Wanted::Document, NamedBy::Caller)?;
            let found = loose(&document.text, &url)?;
            Ok(MetadataView { remote: Some(remote_view(document)), ..found })
        }
    }
}

/// What is told of a document that is no artifact here; it goes by its path or address.
fn loose(text: &str, place: &str) -> Result<MetadataView> {
    let front = front_matter(text, place)?;
    let kind = ArtifactKind::of_document(&front, place);
    Ok(view(kind, front.string("name").unwrap_or(place), place, &front))
}

fn view(kind: ArtifactKind, name: &str, handle: &str, front: &FrontMatter) -> MetadataView {
    MetadataView {
        id: ArtifactIdView { kind: kind.as_str().to_owned(), name: name.to_owned() },
        kind: kind.as_str().to_owned(),
        handle: handle.to_owned(),
        path: None,
        front_matter: map_to_json(&front.entries),
        remote: None,
    }
}

fn remote_view(document: RemoteDocument) -> RemoteView {
    RemoteView {
        cache_path: document.cache_path.clone(),
        retrieved_at: document.retrieved_at,
        last_modified: document.last_modified,
        problem: document.problem,
    }
}

fn read(ws: &Workspace, ctx: &Context, path: &str) -> Result<Option<Doc>> {
    let Some(key) = DocKey::named(path) else { return Ok(None) };
    Ok(ws.store().read(ctx, &key)?)
}

/// The front matter of a document, which has to be sound.
pub(super) fn front_matter(text: &str, place: &str) -> Result<FrontMatter> {
    let document = Document::parse(text);
    let Some(block) = document.front_matter() else { return Ok(FrontMatter::default()) };
    let front = FrontMatter::read(text, block);
    match front.fault() {
        None => Ok(front),
        Some(fault) => Err(Error::new(
            Kind::Refused,
            Key::DocumentInvalid,
            format!("line {}: {}: `{place}`", fault.line, fault.message),
        )
        .detail("file", place)
        .detail("line", fault.line)
        .hint(fault.hint.clone())),
    }
}
