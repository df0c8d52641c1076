//! What a new artifact is to be: the request, checked and made a document.

use std::collections::BTreeMap;

use hewto_core::artifact::{ArtifactKind, Handle, NameError, Scheme, check_implementation_name, check_name};
use hewto_core::document::Document;
use hewto_core::document::front_matter::{FrontMatter, FrontMatterEdit, MissingBlock, Value as Yaml};
use hewto_core::id::SpecId;
use hewto_core::spec::SpecHead;
use hewto_core::template::{RenderError, Scenario, render};
use hewto_core::workspace_graph::WorkspaceGraph;
use hewto_store::{ContentHash, Context, DocFolder, DocKey, LayoutKind, Located, Shelf};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::front::{Front, Maker};
use super::plan_store::Seen;
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::graph::{load, not_found, planned, preview, tree_of};
use crate::metadata::{to_json, to_yaml};
use crate::template::{Resolved, resolve, resolve_locator};
use crate::view::DependencyTree;
use crate::workspace::Workspace;

/// The keys of new documents, in the order in which they are written.
const ORDER: [&str; 12] = [
    "spec",
    "target",
    "branch",
    "work_type",
    "name",
    "version",
    "location",
    "primary_language",
    "secondary_languages",
    "dependencies",
    "references",
    "template_source",
];

/// What is to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreationRequest {
    pub kind: ArtifactKind,
    pub name: String,
    /// A path, an https address or an embedded template; the workspace's own when absent.
    pub template: Option<String>,
    pub tokens: BTreeMap<String, Value>,
    pub front_matter: Map<String, Value>,
}

/// A document that is ready to be written.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) handle: String,
    pub(super) key: DocKey,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) front_matter: Map<String, Value>,
    pub(super) template: Resolved,
    pub(super) dependencies: DependencyTree,
    pub(super) seen: Seen,
}

impl CreationRequest {
    /// Makes the document, or says everything that stands against it.
    pub(super) fn draft(&self, ws: &Workspace, ctx: &Context) -> Result<Draft> {
        let graph = load(ws, ctx)?;
        let place = Placed::of(ws, &graph, self)?;
        let mut maker = Maker { ws, ctx, graph: &graph, place: &place, seen: Seen::new() };
        maker.seen.insert(place.folder.to_string(), "absent".to_owned());
        let (given, scenario, target_path) = match self.kind {
            ArtifactKind::Specification => (maker.specification(self)?, Scenario::Specification, None),
            ArtifactKind::Implementation => (maker.implementation(self)?, Scenario::Implementation, None),
            _ => {
                let (front, work_type, target) = maker.scratch_pad(self)?;
                (front, Scenario::WorkType(work_type), Some(target))
            }
        };
        let template = match &self.template {
            Some(locator) => resolve_locator(ws, ctx, scenario, locator)?,
            None => resolve(ws, ctx, scenario)?,
        };
        let hash = ContentHash::of(template.text.as_bytes()).to_string();
        maker.seen.insert(template.provenance.locator.clone(), hash);
        let text = self.fill_in(&template, given, target_path)?;
        let seen = maker.seen;
        let head = SpecHead::read(&text);
        let source = planned(place.scheme, &place.id, place.path.clone(), &head);
        let (graph, node) = preview(ws, ctx, source)?;
        let dependencies = tree_of(ws, ctx, &graph, node)?;
        let front_matter = shown_front_matter(&text);
        let handle = Handle::new(place.scheme, place.id.clone()).to_string();
        Ok(Draft {
            handle,
            key: place.key,
            path: place.path,
            text,
            front_matter,
            template,
            dependencies,
            seen,
        })
    }

    fn fill_in(&self, template: &Resolved, mut front: Front, target_path: Option<String>) -> Result<String> {
        let tokens = self.tokens.iter().map(|(name, value)| (name.clone(), token_text(value))).collect();
        let mut known = BTreeMap::from([("output_name".to_owned(), self.name.clone())]);
        known.extend(target_path.map(|path| ("target_path".to_owned(), path)));
        let body = render(&template.text, &tokens, &known).map_err(|error| token_error(&error))?;
        front.push(("template_source".to_owned(), provenance(template)));
        let mut edit = FrontMatterEdit::new(MissingBlock::Create).in_order(&ORDER);
        for (key, value) in front {
            edit = edit.set(&key, value);
        }
        edit.apply(&body).map_err(|error| {
            Error::new(
                Kind::Refused,
                Key::TemplateInvalid,
                format!("the template's front matter cannot be filled in: `{}`", template.provenance.locator),
            )
            .hint(error.hint())
            .caused_by(error)
        })
    }
}

/// Where a new artifact goes.
pub(super) struct Placed {
    pub(super) scheme: Scheme,
    id: SpecId,
    pub(super) key: DocKey,
    pub(super) folder: DocFolder,
    pub(super) path: String,
}

impl Placed {
    fn of(ws: &Workspace, graph: &WorkspaceGraph, request: &CreationRequest) -> Result<Self> {
        let name = request.name.as_str();
        let language = request.front_matter.get("primary_language").and_then(language);
        let (scheme, checked) = match request.kind {
            ArtifactKind::Specification => (Scheme::Spec, check_name(name)),
            ArtifactKind::Implementation => (Scheme::Impl, check_implementation_name(name, language)),
            ArtifactKind::ScratchPad => (Scheme::Scratch, check_name(name)),
            other => {
                return Err(Error::invalid_argument(
                    "target",
                    "Specification, Implementation or ScratchPad",
                    format!("{other} is not made here"),
                ));
            }
        };
        checked.map_err(|error| bad_name(&error))?;
        let id = SpecId::parse(name).map_err(|error| Error::invalid_id("name", name, error))?;
        let key = match scheme {
            Scheme::Impl => DocKey::Shelved(Shelf::Implementations, id.clone()),
            Scheme::Scratch => DocKey::Shelved(Shelf::ScratchPads, id.clone()),
            _ => DocKey::Spec(id.clone()),
        };
        let path = ws.store().path(&key, LayoutKind::Specman).ok_or_else(|| not_found(graph, name))?;
        let folder = path.parent().map(DocFolder::from).ok_or_else(|| not_found(graph, name))?;
        // Specs and implementations share their names; a folder counts even when nothing is in it.
        let shared = [ArtifactKind::Specification, ArtifactKind::Implementation];
        let kinds: &[ArtifactKind] =
            if scheme == Scheme::Scratch { &[ArtifactKind::ScratchPad] } else { &shared };
        let taken = kinds.iter().find_map(|kind| graph.named(*kind, name).first().copied());
        if taken.is_some() || ws.store().locate(folder.as_str()) != Located::Nowhere {
            let existing = taken.map_or_else(|| folder.to_string(), |node| graph.node(node).handle.clone());
            return Err(Error::new(
                Kind::Refused,
                Key::ArtifactExists,
                format!("the name `{name}` is taken: `{existing}`"),
            )
            .detail("existing", existing.as_str())
            .hint(Hint::from("choose another name, or ").action(Action::PatchArtifact)));
        }
        Ok(Self { scheme, id, key, folder, path: path.to_string() })
    }
}

fn language(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("language")?.as_str())
}

fn provenance(template: &Resolved) -> Yaml {
    let shown = serde_json::to_value(&template.provenance).unwrap_or_default();
    let kept: Map<String, Value> = shown
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !["problem", "retrieved_at"].contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    to_yaml(&Value::Object(kept)).unwrap_or(Yaml::Map(Vec::new()))
}

fn shown_front_matter(text: &str) -> Map<String, Value> {
    let document = Document::parse(text);
    let front = document.front_matter().map(|block| FrontMatter::read(text, block)).unwrap_or_default();
    front.entries.iter().map(|entry| (entry.key.clone(), to_json(&entry.node))).collect()
}

/// Texts as they are, everything else as JSON.
fn token_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn token_error(error: &RenderError) -> Error {
    let (key, names) = match error {
        RenderError::Missing(names) => (Key::MissingToken, names),
        RenderError::Unknown(names) => (Key::UnknownToken, names),
    };
    Error::new(Kind::Refused, key, error.to_string())
        .detail("tokens", json!(names))
        .hint(Action::ListTemplates.to("see the tokens of each"))
}

fn bad_name(error: &NameError) -> Error {
    Error::invalid_argument("name", "one to four lower-case words with hyphens", error.to_string())
        .hint(error.hint())
}
