//! `metadata.patch`: adds and removes dependencies and references, and sets keys. It previews unless told to persist;
//! a document on the web can only be previewed.

use std::sync::Arc;

use hewto_core::artifact::{Handle, Scheme};
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{ContentHash, Context, DocKey, Expect, Transaction};
use serde_json::{Map, Value};

use super::describe::front_matter;
use super::edit::Editor;
use super::reference::{Holder, ReferenceInput};
use crate::claim;
use crate::error::{Error, Key, Kind, Result};
use crate::graph::{Target, immutable, load, locate, not_found, refuse_derived, summary, with_document};
use crate::install::unified_text;
use crate::item::{Item, refuse_archived};
use crate::page::DEFAULT_MAX_CHARS;
use crate::remote::{self, NamedBy, Wanted};
use crate::view::{MetadataPatched, PersistedView};
use crate::workspace::Workspace;

/// What is to change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PatchRequest {
    pub locator: String,
    pub add_dependencies: Vec<ReferenceInput>,
    pub remove_dependencies: Vec<String>,
    pub add_references: Vec<ReferenceInput>,
    pub remove_references: Vec<String>,
    /// Keys and their new values; null removes a key.
    pub set: Map<String, Value>,
    pub max_chars: Option<usize>,
}

/// Whether the document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    Preview,
    Persist,
}

/// Edits the front matter of an artifact; everything else of the document stays as it is, byte for byte.
pub fn patch(
    ws: &Workspace,
    ctx: &Context,
    request: &PatchRequest,
    persistence: Persistence,
) -> Result<MetadataPatched> {
    if request.is_empty() {
        return Err(Error::nothing_to_update(
            "add_dependencies, remove_dependencies, add_references, remove_references or set",
        ));
    }
    refuse_derived(&request.locator)?;
    match persistence {
        Persistence::Preview => {
            let subject = Subject::find(ws, ctx, &request.locator)?;
            let new = subject.edited(ws, ctx, request)?;
            Ok(subject.view(ws, request, &new))
        }
        Persistence::Persist => persist(ws, ctx, request),
    }
}

fn persist(ws: &Workspace, ctx: &Context, request: &PatchRequest) -> Result<MetadataPatched> {
    let named = Subject::find_local(ws, ctx, &request.locator)?;
    let (lock, ref ws) = claim::lock_artifact(ws, ctx, &named.graph.node(named.node).handle)?;
    let subject = Subject::find_local(ws, ctx, &request.locator)?;
    let Some((key, hash)) = &subject.file else { return Err(not_local(&request.locator)) };
    let new = subject.edited(ws, ctx, request)?;
    if new != subject.text {
        let mut transaction = Transaction::new();
        transaction.put(key.clone(), new.clone(), Expect::Hash(*hash));
        lock.commit(ctx, transaction)?;
    }
    drop(lock);
    let mut view = subject.view(ws, request, &new);
    // As it is from now on: its version may be another. What is written is written, whatever comes of this look.
    if let Ok(graph) = load(ws, ctx)
        && let Some(node) = graph.at_path(&subject.place)
    {
        view.artifact = summary(ws, graph.node(node));
    }
    view.persisted = Some(PersistedView {
        artifact: view.artifact.clone(),
        path: subject.place.clone(),
        workspace: ws.root().to_string_lossy().into_owned(),
    });
    Ok(view)
}

/// The document that is to be edited, and the graph it stands in.
struct Subject {
    graph: Arc<WorkspaceGraph>,
    node: NodeId,
    /// Below the workspace root, or its address.
    place: String,
    text: String,
    /// Where it can be written; nowhere when it is on the web.
    file: Option<(DocKey, ContentHash)>,
}

impl Subject {
    fn find(ws: &Workspace, ctx: &Context, locator: &str) -> Result<Self> {
        let graph = load(ws, ctx)?;
        let Target::Remote(url) = locate(ws, &graph, locator)? else {
            return Self::find_local(ws, ctx, locator);
        };
        let document = remote::fetch_or_kept(ws, ctx, &url, Wanted::Document, NamedBy::Caller)?;
        let (graph, node) = with_document(ws, ctx, &url, &document)?;
        Ok(Self { graph: Arc::new(graph), node, place: url, text: document.text, file: None })
    }

    fn find_local(ws: &Workspace, ctx: &Context, locator: &str) -> Result<Self> {
        let graph = load(ws, ctx)?;
        let node = match locate(ws, &graph, locator)? {
            Target::Artifact(node) => node,
            Target::Document(path) => {
                immutable(ws, &path)?;
                return Err(not_found(&graph, locator));
            }
            Target::Remote(_) => return Err(not_local(locator)),
        };
        let place = graph.node(node).path.clone().unwrap_or_default();
        let key = DocKey::named(&place).ok_or_else(|| not_found(&graph, locator))?;
        immutable(ws, &place)?;
        refuse_finished(ws, ctx, &graph, node)?;
        let doc = ws.store().read(ctx, &key)?.ok_or_else(|| not_found(&graph, locator))?;
        Ok(Self { graph, node, place, text: doc.text, file: Some((key, doc.hash)) })
    }

    /// The document as the request wants it.
    fn edited(&self, ws: &Workspace, ctx: &Context, request: &PatchRequest) -> Result<String> {
        front_matter(&self.text, &self.place)?;
        let holder = Holder { kind: self.graph.node(self.node).kind, path: self.place.clone() };
        let mut editor =
            Editor { ws, ctx, graph: &self.graph, node: self.node, holder, text: self.text.clone() };
        for name in &request.remove_dependencies {
            editor.remove("dependencies", name)?;
        }
        for name in &request.remove_references {
            editor.remove("references", name)?;
        }
        for input in &request.add_dependencies {
            editor.add_dependency(input)?;
        }
        for input in &request.add_references {
            editor.add_reference(input)?;
        }
        editor.set(&request.set)?;
        Ok(editor.text)
    }

    fn view(&self, ws: &Workspace, request: &PatchRequest, new: &str) -> MetadataPatched {
        let budget = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS) / 2;
        let total = new.chars().count();
        MetadataPatched {
            artifact: summary(ws, self.graph.node(self.node)),
            changed: new != self.text,
            diff: (new != self.text).then(|| unified_text(&self.place, &self.text, new)),
            omitted_chars: (total > budget).then(|| total - budget),
            updated_document: new.chars().take(budget).collect(),
            persisted: None,
        }
    }
}

/// A spec that is archived stays as it is.
fn refuse_finished(ws: &Workspace, ctx: &Context, graph: &WorkspaceGraph, node: NodeId) -> Result<()> {
    let node = graph.node(node);
    let handle = Handle::parse(&node.handle).filter(|handle| handle.scheme == Scheme::Spec);
    match handle {
        Some(handle) => {
            // A state that cannot be read says nothing about the front matter.
            let state = Item::load(ws, ctx, handle.id.as_str())?.state();
            state.map_or(Ok(()), |state| refuse_archived(handle.id.as_str(), &state))
        }
        None => Ok(()),
    }
}

impl PatchRequest {
    fn is_empty(&self) -> bool {
        self.add_dependencies.is_empty()
            && self.remove_dependencies.is_empty()
            && self.add_references.is_empty()
            && self.remove_references.is_empty()
            && self.set.is_empty()
    }
}

fn not_local(locator: &str) -> Error {
    Error::new(Kind::Refused, Key::NotLocal, format!("`{locator}` is not in the workspace"))
        .hint("leave `persist` out to see the document as it would be")
}
