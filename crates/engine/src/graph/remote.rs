//! A document on the web beside the artifacts of the workspace. Only the address that somebody names is fetched; those
//! that documents refer to are nodes that nobody has looked at.

use hewto_core::artifact::ArtifactKind;
use hewto_core::document::Document;
use hewto_core::document::front_matter::FrontMatter;
use hewto_core::spec::SpecHead;
use hewto_core::workspace_graph::{NodeId, Source, WorkspaceGraph};
use hewto_store::Context;

use super::load::preview;
use super::sources::{bare, of_document};
use crate::error::Result;
use crate::remote::RemoteDocument;
use crate::workspace::Workspace;

/// The graph with a fetched document in it, and its node.
pub(crate) fn with_document(
    ws: &Workspace,
    ctx: &Context,
    url: &str,
    document: &RemoteDocument,
) -> Result<(WorkspaceGraph, NodeId)> {
    let front = Document::parse(&document.text)
        .front_matter()
        .map(|block| FrontMatter::read(&document.text, block))
        .unwrap_or_default();
    let source = stranger(ArtifactKind::of_document(&front, url), url);
    let mut source = of_document(source, &SpecHead::read(&document.text));
    let notes = [("retrieved_at", &document.retrieved_at), ("problem", &document.problem)];
    for (key, note) in notes {
        source.metadata.extend(note.clone().map(|note| (key.to_owned(), note)));
    }
    preview(ws, ctx, source)
}

/// The graph with an address in it that could not be fetched, and its node.
pub(super) fn with_address(
    ws: &Workspace,
    ctx: &Context,
    url: &str,
    problem: String,
) -> Result<(WorkspaceGraph, NodeId)> {
    let mut source = stranger(ArtifactKind::of_path(url), url);
    let notes = [
        ("metadata_status", "missing".to_owned()),
        ("resolution", "unresolved".to_owned()),
        ("problem", problem),
    ];
    source.metadata.extend(notes.map(|(key, note)| (key.to_owned(), note)));
    preview(ws, ctx, source)
}

fn stranger(kind: ArtifactKind, url: &str) -> Source {
    let mut source = bare(kind, url, url.to_owned());
    source.metadata.insert("locator".to_owned(), url.to_owned());
    source
}
