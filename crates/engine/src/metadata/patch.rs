//! `metadata.patch`: adds and removes dependencies and references, and sets keys. It previews unless told to persist.

use hewto_core::artifact::{ArtifactKind, Handle, Scheme};
use hewto_core::document::front_matter::{
    EditError, FrontMatterEdit, MissingBlock, Node as YamlNode, Value as Yaml, add_item, remove_item,
};
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{Context, Doc, DocKey, Expect, RelPath, Transaction};
use serde_json::{Map, Value, json};

use super::describe::{front_matter, not_local};
use super::reference::{Holder, Meant, ReferenceInput, dependency_item, reference_item, require_kind};
use super::yaml::to_yaml;
use crate::concept;
use crate::error::{Error, Kind, Result};
use crate::graph::{Target, immutable, load, locate, not_found, refuse_derived, summary};
use crate::item::{Item, refuse_archived};
use crate::page::DEFAULT_MAX_CHARS;
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

/// Keys that have a verb of their own, or that name what a document is about.
const GUARDED: [&str; 3] = ["dependencies", "references", "target"];

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
        Persistence::Preview => prepare(ws, ctx, request)?.view(ws, ctx, request),
        Persistence::Persist => {
            let lock = ws.store().lock(ctx)?;
            let prepared = prepare(ws, ctx, request)?;
            if prepared.new != prepared.doc.text {
                let mut transaction = Transaction::new();
                let key = DocKey::File(prepared.doc.path.clone());
                transaction.put(key, prepared.new.clone(), Expect::Hash(prepared.doc.hash));
                lock.commit(ctx, transaction)?;
            }
            drop(lock);
            let mut view = prepared.view(ws, ctx, request)?;
            view.persisted = Some(PersistedView {
                artifact: view.artifact.clone(),
                path: prepared.doc.path.to_string(),
                workspace: ws.root().to_string_lossy().into_owned(),
            });
            Ok(view)
        }
    }
}

struct Prepared {
    node: NodeId,
    doc: Doc,
    new: String,
}

fn prepare(ws: &Workspace, ctx: &Context, request: &PatchRequest) -> Result<Prepared> {
    let graph = load(ws, ctx)?;
    let node = match locate(ws, &graph, &request.locator)? {
        Target::Artifact(node) => node,
        Target::Document(path) => {
            immutable(ws.layout(), &path)?;
            return Err(not_found(&graph, &request.locator));
        }
        Target::Remote(_) => return Err(not_local(&request.locator)),
    };
    let kind = graph.node(node).kind;
    let path = graph.node(node).path.clone().unwrap_or_default();
    let path = RelPath::parse(&path).map_err(|_| not_found(&graph, &request.locator))?;
    immutable(ws.layout(), &path)?;
    refuse_finished(ws, ctx, &graph, node)?;
    let doc =
        ws.store().read(ctx, &DocKey::File(path))?.ok_or_else(|| not_found(&graph, &request.locator))?;
    front_matter(&doc)?;
    let editor = Editor { ws, graph: &graph, node, holder: Holder { kind, path: doc.path.to_string() } };
    let mut text = doc.text.clone();
    for name in &request.remove_dependencies {
        text = editor.remove(&doc, &text, "dependencies", name)?;
    }
    for name in &request.remove_references {
        text = editor.remove(&doc, &text, "references", name)?;
    }
    for input in &request.add_dependencies {
        text = editor.add_dependency(&doc, text, input)?;
    }
    for input in &request.add_references {
        text = editor.add_reference(&doc, text, input)?;
    }
    text = editor.set(&doc, text, &request.set)?;
    Ok(Prepared { node, doc, new: text })
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

struct Editor<'a> {
    ws: &'a Workspace,
    graph: &'a WorkspaceGraph,
    node: NodeId,
    holder: Holder,
}

impl Editor<'_> {
    fn add_dependency(&self, doc: &Doc, text: String, input: &ReferenceInput) -> Result<String> {
        let allowed: &[ArtifactKind] = match self.holder.kind {
            ArtifactKind::Specification => &[ArtifactKind::Specification],
            ArtifactKind::ScratchPad => &[ArtifactKind::ScratchPad],
            kind => return Err(wrong_holder("dependencies", kind)),
        };
        let meant = self.holder.resolve(self.ws, self.graph, &input.target)?;
        require_kind("a dependency", allowed, &meant, &input.target)?;
        self.refuse_circle(&meant)?;
        let item = dependency_item(&meant.written, input.optional);
        self.add(doc, text, "dependencies", &meant, &item)
    }

    fn add_reference(&self, doc: &Doc, text: String, input: &ReferenceInput) -> Result<String> {
        if self.holder.kind != ArtifactKind::Implementation {
            return Err(wrong_holder("references", self.holder.kind));
        }
        let meant = self.holder.resolve(self.ws, self.graph, &input.target)?;
        let allowed = [ArtifactKind::Specification, ArtifactKind::Implementation];
        require_kind("a reference", &allowed, &meant, &input.target)?;
        self.refuse_circle(&meant)?;
        let told =
            if meant.kind == ArtifactKind::Implementation { "implementation" } else { "specification" };
        let kind = input.kind.as_deref().unwrap_or(told);
        if !["specification", "implementation"].contains(&kind) {
            return Err(Error::invalid_argument(
                "add_references",
                "type: specification or implementation",
                format!("`{kind}` is no type of reference"),
            ));
        }
        self.add(doc, text, "references", &meant, &reference_item(&meant.written, kind, input.optional))
    }

    /// Adds an item unless the list has it already.
    fn add(&self, doc: &Doc, text: String, key: &str, meant: &Meant, item: &Yaml) -> Result<String> {
        let known = self.find(doc, &text, key, &meant.written, meant.node)?;
        if known.is_some() {
            return Ok(text);
        }
        add_item(&text, key, item).map_err(|error| cannot_edit(doc, &error))
    }

    fn remove(&self, doc: &Doc, text: &str, key: &str, name: &str) -> Result<String> {
        // What leads nowhere can still be taken out by its own words.
        let meant = self.holder.resolve(self.ws, self.graph, name).ok();
        let node = meant.as_ref().and_then(|meant| meant.node);
        let written = meant.map_or_else(|| name.trim().to_owned(), |meant| meant.written);
        let found = match self.find(doc, text, key, name.trim(), node)? {
            Some(index) => Some(index),
            None => self.find(doc, text, key, &written, node)?,
        };
        let index = found.ok_or_else(|| {
            Error::new(Kind::Refused, "reference_not_found", None, format!("`{key}` does not name `{name}`"))
                .detail("file", doc.path.as_str())
                .hint("call `specman_metadata_describe` to see what it names")
        })?;
        remove_item(text, key, index).map_err(|error| cannot_edit(doc, &error))
    }

    /// Where a list names this: in the same words, or by another way to the same artifact.
    fn find(
        &self,
        doc: &Doc,
        text: &str,
        key: &str,
        written: &str,
        node: Option<NodeId>,
    ) -> Result<Option<usize>> {
        let front = front_matter(&Doc { text: text.to_owned(), ..doc.clone() })?;
        let Some(items) = front.list(key) else { return Ok(None) };
        let words = |item: &YamlNode| {
            let named = item.get("ref").or_else(|| item.get("spec_id"));
            item.as_str().or_else(|| named.and_then(YamlNode::as_str)).map(str::to_owned)
        };
        let same_words = items.iter().position(|item| words(item).as_deref() == Some(written));
        let same_node = || {
            let node = node?;
            items.iter().position(|item| {
                let meant =
                    words(item).and_then(|words| self.holder.resolve(self.ws, self.graph, &words).ok());
                meant.is_some_and(|meant| meant.node == Some(node))
            })
        };
        Ok(same_words.or_else(same_node))
    }

    fn set(&self, doc: &Doc, text: String, set: &Map<String, Value>) -> Result<String> {
        if set.is_empty() {
            return Ok(text);
        }
        let mut edit = FrontMatterEdit::new(MissingBlock::Create);
        for (key, value) in set {
            if GUARDED.contains(&key.as_str()) || key.trim().is_empty() || key.contains(['\n', '\r']) {
                return Err(Error::invalid_argument(
                    "set",
                    "keys other than dependencies, references and target",
                    format!("`{}` cannot be set", key.escape_debug()),
                )
                .hint(
                    "use `add_dependencies`, `remove_references` and the like; a target stays what it is",
                ));
            }
            if key == "spec"
                && let Some(spec) = value.as_str()
            {
                let meant = self.holder.resolve(self.ws, self.graph, spec)?;
                require_kind("what is implemented", &[ArtifactKind::Specification], &meant, spec)?;
                self.refuse_circle(&meant)?;
                edit = edit.set(key, meant.written.as_str().into());
                continue;
            }
            edit = match to_yaml(value) {
                Some(value) => edit.set(key, value),
                None => edit.remove(key),
            };
        }
        edit.apply(&text).map_err(|error| cannot_edit(doc, &error))
    }

    fn refuse_circle(&self, meant: &Meant) -> Result<()> {
        let Some(chain) = meant.node.and_then(|target| self.graph.path(target, self.node)) else {
            return Ok(());
        };
        let chain: Vec<&str> = std::iter::once(self.node)
            .chain(chain)
            .map(|node| self.graph.node(node).handle.as_str())
            .collect();
        Err(Error::new(
            Kind::Refused,
            "dependency_cycle",
            None,
            format!("this closes a circle: {}", chain.join(" → ")),
        )
        .detail("chain", json!(chain))
        .detail("partial", json!({ "edges": chain.windows(2).collect::<Vec<_>>() }))
        .detail("concept_ref", concept::DEPENDENCY_MAPPING)
        .hint("leave out one of the references in the chain"))
    }
}

impl Prepared {
    fn view(&self, ws: &Workspace, ctx: &Context, request: &PatchRequest) -> Result<MetadataPatched> {
        let graph = load(ws, ctx)?;
        let budget = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS) / 2;
        let total = self.new.chars().count();
        let shown: String = self.new.chars().take(budget).collect();
        let handle = Handle::parse(&graph.node(self.node).handle);
        let node = handle.and_then(|handle| graph.find(&handle)).unwrap_or(self.node);
        Ok(MetadataPatched {
            artifact: summary(ws, graph.node(node)),
            changed: self.new != self.doc.text,
            omitted_chars: (total > budget).then(|| total - budget),
            updated_document: shown,
            persisted: None,
        })
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

fn wrong_holder(key: &str, kind: ArtifactKind) -> Error {
    Error::new(Kind::Refused, "wrong_kind", None, format!("{kind} has no `{key}`"))
        .hint("specs and scratch pads have dependencies, implementations have references")
}

fn cannot_edit(doc: &Doc, error: &EditError) -> Error {
    Error::new(Kind::Refused, "document_invalid", None, format!("cannot edit: `{}`", doc.path))
        .detail("file", doc.path.as_str())
        .hint(error.hint())
        .caused_by(error.clone())
}
