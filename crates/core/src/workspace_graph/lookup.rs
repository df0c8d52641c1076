//! Finds nodes by handle, path or name.

use super::{NodeId, Standing, WorkspaceGraph};
use crate::artifact::{ArtifactKind, Handle};

impl WorkspaceGraph {
    /// The artifact of a handle; case counts only where it tells two apart.
    pub fn find(&self, handle: &Handle) -> Option<NodeId> {
        let kind = handle.scheme.kind();
        let find = |id: &str| self.by_slug.get(&(kind, id.to_owned())).copied();
        find(handle.id.as_str())
            .or_else(|| find(&handle.id.as_str().to_lowercase()))
            .or_else(|| find(&handle.id.as_str().to_uppercase()))
    }

    /// The artifact whose document, or whose folder, stands at a path.
    pub fn at_path(&self, path: &str) -> Option<NodeId> {
        self.by_path.get(path).copied()
    }

    /// The node of exactly this handle.
    pub fn with_handle(&self, handle: &str) -> Option<NodeId> {
        self.nodes.binary_search_by(|node| node.handle.as_str().cmp(handle)).ok().map(NodeId::of)
    }

    /// What references call a thing that is no artifact here: an address, or a path.
    pub fn stranger(&self, name: &str) -> Option<NodeId> {
        self.with_handle(name).filter(|id| self.node(*id).standing != Standing::Artifact)
    }

    /// Artifacts of a kind that are called so: by their folder or, failing that, by their own name.
    pub fn named(&self, kind: ArtifactKind, name: &str) -> Vec<NodeId> {
        if let Some(&found) = self.by_slug.get(&(kind, name.to_owned())) {
            return vec![found];
        }
        let is_called = |node: &super::Node| {
            node.kind == kind && node.name == name && node.standing == Standing::Artifact
        };
        self.nodes().filter(|(_, node)| is_called(node)).map(|(id, _)| id).collect()
    }
}
