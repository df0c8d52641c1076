//! The workspace graph (seed 002): every artifact is a node, everything one says about another is a typed edge.
//!
//! A [`WorkspaceGraph`] is made once from [`Source`]s and never changed. Its nodes are in the order of their handles,
//! so whatever is told about it is the same on every run. What a reference does not reach is a node too.

mod build;
mod cycles;
mod lookup;
mod walk;

use std::collections::{BTreeMap, HashMap};

use crate::artifact::ArtifactKind;
use crate::spec::DependencyKind;

pub use build::{Link, LinkBase, Source};
pub use walk::Walk;

/// How one artifact hangs on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    Depends,
    Implements,
    References,
    Targets,
    Modifies,
    /// The record that one was written after; says nothing about what still holds.
    Previous,
    Supersedes,
    Relates,
}

/// An artifact, or what a reference names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub kind: ArtifactKind,
    pub name: String,
    /// What to pass as a locator: a handle, else a path, else the reference as it was written.
    pub handle: String,
    /// Below the workspace root.
    pub path: Option<String>,
    pub version: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub standing: Standing,
}

/// Whether a node is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Artifact,
    /// Somewhere on the web.
    Remote,
    /// Nothing that the graph knows; a file may stand at its path all the same.
    Unknown,
}

/// `from` says something about `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub relation: Relation,
    /// Only when every mention of it is.
    pub optional: bool,
    /// Of a workflow dependency.
    pub strength: Option<DependencyKind>,
}

/// The place of a node in the order of handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// All artifacts and edges at one moment.
#[derive(Debug, Default)]
pub struct WorkspaceGraph {
    nodes: Vec<Node>,
    /// Sorted by where they begin, then by where they end.
    edges: Vec<Edge>,
    /// Where the edges of each node begin in `edges`; one more than there are nodes.
    starts: Vec<u32>,
    /// Indices of edges, sorted by where they end.
    incoming: Vec<u32>,
    incoming_starts: Vec<u32>,
    /// Nodes on a circle.
    in_cycle: Vec<bool>,
    by_slug: HashMap<(ArtifactKind, String), NodeId>,
    /// Documents, and the folders they stand in.
    by_path: HashMap<String, NodeId>,
}

impl Relation {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Depends => "depends",
            Self::Implements => "implements",
            Self::References => "references",
            Self::Targets => "targets",
            Self::Modifies => "modifies",
            Self::Previous => "previous",
            Self::Supersedes => "supersedes",
            Self::Relates => "relates",
        }
    }

    /// Whether what is named is needed: such edges form no circle and keep their target from being deleted.
    pub(crate) fn binds(self) -> bool {
        !matches!(self, Self::Previous | Self::Supersedes | Self::Relates)
    }
}

impl NodeId {
    fn of(index: usize) -> Self {
        Self(u32::try_from(index).expect("a workspace has fewer than four billion artifacts"))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl WorkspaceGraph {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes, in the order of their handles.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId::of(index), node))
    }

    /// What a node says about others.
    pub fn outgoing(&self, id: NodeId) -> &[Edge] {
        &self.edges[self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize]
    }

    /// What others say about a node.
    pub fn incoming(&self, id: NodeId) -> impl Iterator<Item = &Edge> {
        let range = self.incoming_starts[id.index()] as usize..self.incoming_starts[id.index() + 1] as usize;
        self.incoming[range].iter().map(|&edge| &self.edges[edge as usize])
    }

    #[cfg(test)]
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges that keep a node from being deleted: somebody needs it. Its own plan does not count.
    pub fn blockers(&self, id: NodeId) -> impl Iterator<Item = &Edge> {
        self.incoming(id).filter(move |edge| {
            edge.relation.binds()
                && !edge.optional
                && edge.from != id
                && self.node(edge.from).kind != ArtifactKind::Plan
        })
    }
}

#[cfg(test)]
mod tests;
