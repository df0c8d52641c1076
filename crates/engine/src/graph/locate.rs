//! What a locator points at: handles, paths and addresses of clients, never trusted (D-15).

use hewto_core::artifact::{
    ArtifactKind, Handle, HandleView, Locator, LocatorError, ReferenceTarget, Scheme, resolve,
};
use hewto_core::id::SpecId;
use hewto_core::near;
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::{DocKey, Layout, Located};
use serde_json::json;

use crate::concept;
use crate::error::{Action, Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// How many names are proposed for one that does not exist.
const NEAR: usize = 3;

/// What was pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Artifact(NodeId),
    /// A file that is no artifact.
    Document(String),
    Remote(String),
}

/// An artifact as a client names it: by a locator, or by kind and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactRef {
    Locator(String),
    Named { kind: ArtifactKind, name: String },
}

/// Resolves a locator against the graph and the files.
pub(crate) fn locate(ws: &Workspace, graph: &WorkspaceGraph, text: &str) -> Result<Target> {
    match Locator::parse(text).map_err(|error| bad_locator(&error))? {
        Locator::Handle(handle) => {
            graph.find(&handle).map(Target::Artifact).ok_or_else(|| not_found(graph, text))
        }
        Locator::Url(url) => Ok(Target::Remote(url)),
        Locator::Path(path) => locate_path(ws, graph, &path),
    }
}

/// Resolves what a client calls an artifact; it has to be one.
pub(crate) fn resolve_ref(ws: &Workspace, graph: &WorkspaceGraph, artifact: &ArtifactRef) -> Result<NodeId> {
    match artifact {
        ArtifactRef::Locator(text) => {
            refuse_derived(text)?;
            match locate(ws, graph, text)? {
                Target::Artifact(node) => Ok(node),
                Target::Document(path) => {
                    immutable(ws, &path)?;
                    Err(not_found(graph, text))
                }
                Target::Remote(_) => Err(not_found(graph, text)),
            }
        }
        ArtifactRef::Named { kind, name } => match graph.named(*kind, name).as_slice() {
            [] => Err(not_found(graph, name)),
            [node] => Ok(*node),
            several => {
                let handles: Vec<&str> =
                    several.iter().map(|&node| graph.node(node).handle.as_str()).collect();
                Err(Error::new(
                    Kind::Refused,
                    Key::AmbiguousName,
                    format!("several artifacts are called `{name}`"),
                )
                .detail("handles", json!(handles))
                .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
                .hint(format!("name one by its handle: `{}`", handles.join("` or `"))))
            }
        },
    }
}

fn locate_path(ws: &Workspace, graph: &WorkspaceGraph, text: &str) -> Result<Target> {
    let root = ws.root().to_string_lossy();
    // A root that is reached through a link is still the root.
    let below = text.strip_prefix(&*root).filter(|rest| rest.starts_with('/') || rest.is_empty());
    let relative = match below {
        Some(rest) => rest.trim_start_matches('/'),
        None => text,
    };
    let path = match resolve("", relative) {
        Ok(ReferenceTarget::Inside(path)) => {
            DocKey::named(&path).ok_or_else(|| not_found(graph, text))?.to_string()
        }
        _ => return Err(outside_workspace(text)),
    };
    let located = ws.store().locate(&path);
    let real = match &located {
        Located::Outside => return Err(outside_workspace(text)),
        Located::Nowhere => return Err(not_found(graph, text)),
        Located::Inside(real) => real.to_string(),
        Located::Folder(real) => real.to_string(),
    };
    match (graph.at_path(&path).or_else(|| graph.at_path(&real)), &located) {
        (Some(node), _) => Ok(Target::Artifact(node)),
        (None, Located::Inside(_)) => Ok(Target::Document(real)),
        // A folder that is no artifact's has nothing to say.
        (None, _) => Err(not_found(graph, text)),
    }
}

/// Refuses to change what is only derived.
pub(crate) fn refuse_derived(text: &str) -> Result<()> {
    match Handle::parse(text) {
        Some(handle) if handle.view == HandleView::Dependencies => Err(Error::new(
            Kind::Refused,
            Key::ReadOnlyHandle,
            format!("`{text}` is derived and can only be read"),
        )
        .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
        .hint("change the artifact itself: leave `/dependencies` out")),
        _ => Ok(()),
    }
}

/// Refuses to touch what is written once: decisions, and tasks that are archived.
pub(crate) fn immutable(ws: &Workspace, path: &str) -> Result<()> {
    let places = ws.places();
    let what = if places.decisions.below(path).is_some() {
        "a decision"
    } else if places.task_archive.below(path).is_some() {
        "an archived task"
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Refused, Key::ImmutableArtifact, format!("{what} is never changed: `{path}`"))
        .detail("file", path)
        .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
        .hint("make a new decision or task instead"))
}

pub(crate) fn outside_workspace(text: &str) -> Error {
    let shown: String = text.chars().take(200).collect();
    Error::new(
        Kind::Refused,
        Key::OutsideWorkspace,
        format!("this leads out of the workspace: `{}`", shown.escape_debug()),
    )
    .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
    .hint("name something inside the workspace")
}

pub(crate) fn not_found(graph: &WorkspaceGraph, text: &str) -> Error {
    let near = near::near(text, graph.nodes().map(|(_, node)| node.handle.as_str()), NEAR);
    let shown: String = text.chars().take(200).collect();
    let error = Error::new(
        Kind::Refused,
        Key::ArtifactNotFound,
        format!("no artifact is called `{}`", shown.escape_debug()),
    )
    .detail("locator", shown.as_str());
    match near.as_slice() {
        [] => error.hint(Action::ListArtifacts.to("see them")),
        near => error.hint(format!("did you mean `{}`?", near.join("` or `"))).detail("near", json!(near)),
    }
}

pub(crate) fn bad_locator(error: &LocatorError) -> Error {
    let key = match error {
        LocatorError::Http(_) | LocatorError::UnknownScheme(_) => Key::UnsupportedScheme,
        LocatorError::Empty | LocatorError::Separator(_) | LocatorError::Id { .. } => Key::InvalidLocator,
    };
    let supported: Vec<String> =
        Scheme::ALL.iter().map(|scheme| format!("{scheme}://")).chain(["https://".to_owned()]).collect();
    Error::new(Kind::Usage, key, error.to_string())
        .detail("supported", json!(supported))
        .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
        .hint(error.hint())
}

/// The handle of the artifact in whose folder a path stands, told by the layout alone.
pub(crate) fn handle_of(layout: &Layout, path: &str) -> Option<String> {
    let below = |folder: &str| path.strip_prefix(folder)?.strip_prefix('/');
    let first = |scheme: Scheme, below: &str| {
        let name = below.split('/').next()?;
        Some(Handle::new(scheme, SpecId::parse(name).ok()?).to_string())
    };
    let places = layout.places();
    for (shelf, scheme) in [(&places.implementations, Scheme::Impl), (&places.scratchpad, Scheme::Scratch)] {
        if let Some(below) = shelf.below(path) {
            return first(scheme, below);
        }
    }
    if let Some(below) = layout.change_roots().iter().find_map(|root| below(&root.changes)) {
        return first(Scheme::Change, below);
    }
    let below = layout.spec_roots().iter().find_map(|root| below(&root.path))?;
    // A folder that was removed, or a document in a folder, which may be nested.
    let id = match below.rsplit_once('/') {
        Some((folder, file)) if file.contains('.') => folder,
        _ => below,
    };
    Some(Handle::new(Scheme::Spec, SpecId::parse(id).ok()?).to_string())
}
