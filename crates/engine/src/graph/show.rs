//! Nodes and edges as everybody sees them.

use hewto_core::artifact::ArtifactKind;
use hewto_core::workspace_graph::{Edge, Node, Standing, WorkspaceGraph};
use hewto_store::Located;

use crate::view::{ArtifactIdView, ArtifactSummary, DependencyEdge, EdgeRelation};
use crate::workspace::Workspace;

pub(crate) fn summary(ws: &Workspace, node: &Node) -> ArtifactSummary {
    let mut metadata = node.metadata.clone();
    match (node.standing, &node.path) {
        (Standing::Artifact | Standing::Remote, _) | (Standing::Unknown, None) => {}
        // Any text may be referred to; it only has to be there.
        (Standing::Unknown, Some(path)) => match ws.store().locate(path) {
            Located::Inside(_) | Located::Folder(_) => {
                metadata.remove("resolution");
                metadata.insert("metadata_status".to_owned(), "missing".to_owned());
            }
            Located::Outside => {
                metadata.insert("error".to_owned(), "it leads out of the workspace".to_owned());
            }
            Located::Nowhere => {}
        },
    }
    ArtifactSummary {
        id: ArtifactIdView { kind: kind_name(node.kind), name: node.name.clone() },
        handle: node.handle.clone(),
        path: node.path.clone(),
        version: node.version.clone(),
        metadata,
    }
}

pub(crate) fn edge_view(
    ws: &Workspace,
    graph: &WorkspaceGraph,
    edge: &Edge,
    relation: EdgeRelation,
) -> DependencyEdge {
    DependencyEdge {
        from: summary(ws, graph.node(edge.from)),
        to: summary(ws, graph.node(edge.to)),
        relation,
        r#type: edge.relation.as_str().to_owned(),
        optional: edge.optional,
        kind: edge.strength.map(|strength| strength.as_str().to_owned()),
    }
}

fn kind_name(kind: ArtifactKind) -> String {
    kind.as_str().to_owned()
}
