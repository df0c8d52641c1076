//! The edges from code and tests to what they keep: the links of proof, where somebody asks for proof.

use std::collections::BTreeMap;

use hewto_core::proof::settings::Policy;
use hewto_core::proof::{Link, LinkKind};
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::Context;

use super::summary;
use crate::error::Result;
use crate::proof;
use crate::view::{ArtifactIdView, ArtifactSummary, DependencyEdge, EdgeRelation};
use crate::workspace::Workspace;

/// The edges to one spec, or to all of them.
pub(super) fn edges(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    to: Option<NodeId>,
    relation: EdgeRelation,
) -> Result<Vec<DependencyEdge>> {
    let specs: BTreeMap<&str, NodeId> = graph
        .nodes()
        .filter(|(id, _)| to.is_none_or(|to| to == *id))
        .filter_map(|(id, node)| Some((node.handle.strip_prefix("spec://")?, id)))
        .collect();
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let links = links(ws, ctx)?;
    let mut edges: Vec<DependencyEdge> = links
        .iter()
        .filter_map(|link| {
            let spec = specs.get(link.reference.capability())?;
            Some(DependencyEdge {
                from: file(link),
                to: summary(ws, graph.node(*spec)),
                relation,
                r#type: relation_of(link).to_owned(),
                optional: false,
                kind: None,
            })
        })
        .collect();
    edges.sort_by(|a, b| {
        (&a.from.handle, &a.to.handle, &a.r#type).cmp(&(&b.from.handle, &b.to.handle, &b.r#type))
    });
    Ok(edges)
}

/// All links, where somebody asks for proof.
pub(super) fn links(ws: &Workspace, ctx: &Context) -> Result<Vec<Link>> {
    // Settings that cannot be read are told elsewhere; here they add nothing.
    if matches!(proof::policy(ws, ctx), Err(_) | Ok(Policy::Off)) {
        return Ok(Vec::new());
    }
    proof::all_links(ws, ctx)
}

/// How a declaration hangs on what it names.
pub(super) fn relation_of(link: &Link) -> &'static str {
    if link.kind == LinkKind::Test { "tests" } else { "implements" }
}

/// A file, whatever is declared in it.
pub(super) fn whole_file(path: &str) -> ArtifactSummary {
    ArtifactSummary {
        id: ArtifactIdView { kind: "file".to_owned(), name: path.to_owned() },
        handle: path.to_owned(),
        path: Some(path.to_owned()),
        version: None,
        metadata: BTreeMap::new(),
    }
}

/// A declaration that carries a tag.
pub(super) fn file(link: &Link) -> ArtifactSummary {
    let mut metadata = BTreeMap::from([("ref".to_owned(), link.reference.to_string())]);
    metadata.insert("line".to_owned(), link.line.to_string());
    let name = link.title.clone().unwrap_or_else(|| link.path.clone());
    ArtifactSummary {
        id: ArtifactIdView { kind: "file".to_owned(), name },
        handle: link.path.clone(),
        path: Some(link.path.clone()),
        version: None,
        metadata,
    }
}
