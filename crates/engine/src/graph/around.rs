//! What hangs on one artifact, asked for step by step: nothing is made of the rest of the graph.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hewto_core::proof::Link;
use hewto_core::workspace_graph::{NodeId, WorkspaceGraph};
use hewto_store::Context;

use super::{linked, load, summary};
use crate::error::Result;
use crate::view::ArtifactSummary;
use crate::workspace::Workspace;

/// The graph, and the code and tests that are linked to its specs.
#[derive(Debug)]
pub(crate) struct Surroundings {
    graph: Arc<WorkspaceGraph>,
    links: Vec<Link>,
    /// The first link of each file that is no artifact itself.
    files: HashMap<String, usize>,
    /// Links by the spec that they name.
    of_spec: HashMap<NodeId, Vec<usize>>,
    /// Links by their file.
    of_file: HashMap<Member, Vec<usize>>,
}

/// An artifact, or a file that carries tags: the place of its first link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Member {
    Node(NodeId),
    File(usize),
}

impl Surroundings {
    pub(crate) fn load(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let graph = load(ws, ctx)?;
        let links = linked::links(ws, ctx)?;
        let mut all = Self {
            graph,
            links: Vec::new(),
            files: HashMap::new(),
            of_spec: HashMap::new(),
            of_file: HashMap::new(),
        };
        for (at, link) in links.iter().enumerate() {
            let Some(spec) = all.with_handle(&handle_of_spec(link.reference.capability())) else { continue };
            let file = match all.graph_node(&link.path) {
                Some(node) => Member::Node(node),
                None => Member::File(*all.files.entry(link.path.clone()).or_insert(at)),
            };
            if let Member::Node(spec) = spec {
                all.of_spec.entry(spec).or_default().push(at);
            }
            all.of_file.entry(file).or_default().push(at);
        }
        all.links = links;
        Ok(all)
    }

    /// How many there are in all.
    pub(crate) fn len(&self) -> usize {
        self.graph.nodes().count() + self.files.len()
    }

    /// All of them: artifacts by their handles, then files.
    pub(crate) fn members(&self) -> impl Iterator<Item = Member> {
        let mut files: Vec<usize> = self.files.values().copied().collect();
        files.sort_unstable();
        self.graph.nodes().map(|(id, _)| Member::Node(id)).chain(files.into_iter().map(Member::File))
    }

    /// What has exactly this handle.
    pub(crate) fn with_handle(&self, handle: &str) -> Option<Member> {
        let file = || self.files.get(handle).copied().map(Member::File);
        self.graph_node(handle).map(Member::Node).or_else(file)
    }

    fn graph_node(&self, handle: &str) -> Option<NodeId> {
        self.graph.with_handle(handle)
    }

    pub(crate) fn handle(&self, member: Member) -> &str {
        match member {
            Member::Node(id) => &self.graph.node(id).handle,
            Member::File(at) => &self.links[at].path,
        }
    }

    pub(crate) fn summary(&self, ws: &Workspace, member: Member) -> ArtifactSummary {
        match member {
            Member::Node(id) => summary(ws, self.graph.node(id)),
            Member::File(at) => linked::whole_file(&self.links[at].path),
        }
    }

    /// What a member speaks of, and how.
    pub(crate) fn needs(&self, member: Member) -> BTreeSet<(Member, &'static str)> {
        let mut found = BTreeSet::new();
        if let Member::Node(id) = member {
            let edges = self.graph.outgoing(id).iter();
            found.extend(edges.map(|edge| (Member::Node(edge.to), edge.relation.as_str())));
        }
        for link in self.of_file.get(&member).into_iter().flatten().map(|at| &self.links[*at]) {
            let spec = self.with_handle(&handle_of_spec(link.reference.capability()));
            found.extend(spec.map(|spec| (spec, linked::relation_of(link))));
        }
        found
    }

    /// What speaks of a member.
    pub(crate) fn needed_by(&self, member: Member) -> BTreeSet<Member> {
        let Member::Node(id) = member else { return BTreeSet::new() };
        let mut found: BTreeSet<Member> =
            self.graph.incoming(id).map(|edge| Member::Node(edge.from)).collect();
        for at in self.of_spec.get(&id).into_iter().flatten() {
            found.extend(self.with_handle(&self.links[*at].path));
        }
        found
    }
}

fn handle_of_spec(id: &str) -> String {
    format!("spec://{}", id.replace('/', "%2F"))
}
