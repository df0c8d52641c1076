//! Edits the front matter of one document, step by step; every step is refused or leaves a document that can be read.

use hewto_core::artifact::ArtifactKind;
use hewto_core::document::front_matter::{
    EditError, FrontMatterEdit, MissingBlock, Node as YamlNode, Value as Yaml, add_item, remove_item,
};
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::Context;
use serde_json::{Map, Value, json};

use super::describe::front_matter;
use super::reference::{Holder, Meant, ReferenceInput, dependency_item, reference_item, require_kind};
use super::yaml::to_yaml;
use crate::concept;
use crate::error::{Action, Error, Key, Kind, Result};
use crate::graph::partial_tree;
use crate::workspace::Workspace;

/// Keys that have a verb of their own, or that name what a document is about.
const GUARDED: [&str; 3] = ["dependencies", "references", "target"];

/// A document on its way.
pub(super) struct Editor<'a> {
    pub(super) ws: &'a Workspace,
    pub(super) ctx: &'a Context,
    pub(super) graph: &'a WorkspaceGraph,
    pub(super) node: NodeId,
    pub(super) holder: Holder,
    pub(super) text: String,
}

impl Editor<'_> {
    pub(super) fn add_dependency(&mut self, input: &ReferenceInput) -> Result<()> {
        let allowed: &[ArtifactKind] = match self.holder.kind {
            ArtifactKind::Specification => &[ArtifactKind::Specification],
            ArtifactKind::ScratchPad => &[ArtifactKind::ScratchPad],
            kind => return Err(wrong_holder("dependencies", kind)),
        };
        let meant = self.holder.resolve(self.ws, self.graph, &input.target)?;
        require_kind("a dependency", allowed, &meant, &input.target)?;
        self.refuse_circle(&meant)?;
        let item = dependency_item(&meant.written, input.optional);
        self.add("dependencies", &meant, &item)
    }

    pub(super) fn add_reference(&mut self, input: &ReferenceInput) -> Result<()> {
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
                format!("`{kind}` is not a type of reference"),
            )
            .hint("leave `type` out: the reference says it"));
        }
        self.add("references", &meant, &reference_item(&meant.written, kind, input.optional))
    }

    /// Adds an item unless the list has it already.
    fn add(&mut self, key: &str, meant: &Meant, item: &Yaml) -> Result<()> {
        if self.find(key, &meant.written, meant.node)?.is_none() {
            self.text = add_item(&self.text, key, item).map_err(|error| self.cannot_edit(&error))?;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, key: &str, name: &str) -> Result<()> {
        // What leads nowhere can still be taken out by its own words.
        let meant = self.holder.resolve(self.ws, self.graph, name).ok();
        let node = meant.as_ref().and_then(|meant| meant.node);
        let written = meant.map_or_else(|| name.trim().to_owned(), |meant| meant.written);
        let found = match self.find(key, name.trim(), node)? {
            Some(index) => Some(index),
            None => self.find(key, &written, node)?,
        };
        let index = found.ok_or_else(|| {
            Error::new(Kind::Refused, Key::ReferenceNotFound, format!("`{key}` does not name `{name}`"))
                .detail("file", self.holder.path.as_str())
                .hint(Action::DescribeArtifact.to("see what it names"))
        })?;
        self.text = remove_item(&self.text, key, index).map_err(|error| self.cannot_edit(&error))?;
        Ok(())
    }

    /// Where a list names this: in the same words, or by another way to the same artifact.
    fn find(&self, key: &str, written: &str, node: Option<NodeId>) -> Result<Option<usize>> {
        let front = front_matter(&self.text, &self.holder.path)?;
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

    pub(super) fn set(&mut self, set: &Map<String, Value>) -> Result<()> {
        if set.is_empty() {
            return Ok(());
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
            edit = match (key.as_str(), to_yaml(value)) {
                ("spec", new) => edit.set(key, self.implemented(new)?),
                (_, Some(new)) => edit.set(key, new),
                (_, None) => edit.remove(key),
            };
        }
        self.text = edit.apply(&self.text).map_err(|error| self.cannot_edit(&error))?;
        Ok(())
    }

    /// The spec of an implementation: it always has one, and nothing else has.
    fn implemented(&self, spec: Option<Yaml>) -> Result<Yaml> {
        if self.holder.kind != ArtifactKind::Implementation {
            return Err(wrong_holder("spec", self.holder.kind));
        }
        let Some(Yaml::Text(spec)) = spec else {
            return Err(Error::invalid_argument(
                "set",
                "spec: a locator",
                "an implementation implements exactly one spec",
            )
            .hint("set `spec` to a handle such as `spec://name`"));
        };
        let meant = self.holder.resolve(self.ws, self.graph, &spec)?;
        require_kind("what is implemented", &[ArtifactKind::Specification], &meant, &spec)?;
        self.refuse_circle(&meant)?;
        Ok(meant.written.as_str().into())
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
            Key::DependencyCycle,
            format!("this closes a circle: {}", chain.join(" → ")),
        )
        .detail("chain", json!(chain))
        .detail("partial", json!(partial_tree(self.ws, self.ctx, self.graph, self.node)))
        .detail("concept_ref", concept::DEPENDENCY_MAPPING)
        .hint("leave out one of the references in the chain"))
    }

    fn cannot_edit(&self, error: &EditError) -> Error {
        let place = &self.holder.path;
        Error::new(Kind::Refused, Key::DocumentInvalid, format!("cannot edit: `{place}`"))
            .detail("file", place.as_str())
            .hint(error.hint())
            .caused_by(error.clone())
    }
}

fn wrong_holder(key: &str, kind: ArtifactKind) -> Error {
    Error::new(Kind::Refused, Key::WrongKind, format!("{kind} has no `{key}`"))
        .hint("specs and scratch pads have dependencies; implementations have references and a spec")
}
