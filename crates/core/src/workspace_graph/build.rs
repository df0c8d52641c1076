//! Makes a graph from what the documents say. No reference fails it: what leads nowhere becomes a node that says so.

use std::collections::{BTreeMap, HashMap};

use super::{Edge, Node, NodeId, Relation, Standing, WorkspaceGraph, cycles};
use crate::artifact::{ArtifactKind, Handle, ReferenceTarget, folder_of, is_url, resolve};
use crate::spec::DependencyKind;

/// An artifact and what its document says about others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub kind: ArtifactKind,
    /// The name in handles: the folder, or what stands for it.
    pub slug: String,
    pub name: String,
    /// The document, below the workspace root, or its address on the web.
    pub path: String,
    pub handle: String,
    pub version: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub links: Vec<Link>,
}

/// Something that a document says about another artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub relation: Relation,
    /// A handle, a path, an address or a bare name, as it was written.
    pub reference: String,
    pub base: LinkBase,
    /// What a bare name is the name of, the likeliest first.
    pub kinds: &'static [ArtifactKind],
    pub optional: bool,
    pub strength: Option<DependencyKind>,
}

/// What relative paths are counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkBase {
    /// The folder of the document, then the workspace root.
    Document,
    /// The workspace root, then the folder of the document.
    Root,
}

impl WorkspaceGraph {
    pub fn build(sources: &[Source]) -> Self {
        let mut draft = Draft::default();
        for source in sources {
            draft.add_artifact(source);
        }
        for (index, source) in sources.iter().enumerate() {
            for link in &source.links {
                let (to, is_new) = draft.target(source, link);
                if is_new && draft.nodes[to].standing == Standing::Unknown {
                    draft.nodes[to].metadata.insert("resolution".to_owned(), "unresolved".to_owned());
                }
                draft.edges.push(DraftEdge { from: draft.artifacts[index], to, link });
            }
        }
        draft.finish()
    }
}

#[derive(Default)]
struct Draft<'s> {
    nodes: Vec<Node>,
    /// The nodes of the sources, in their order.
    artifacts: Vec<usize>,
    by_slug: HashMap<(ArtifactKind, String), usize>,
    by_path: HashMap<String, usize>,
    /// Nodes that stand for a reference.
    strangers: HashMap<String, usize>,
    edges: Vec<DraftEdge<'s>>,
}

struct DraftEdge<'s> {
    from: usize,
    to: usize,
    link: &'s Link,
}

impl Draft<'_> {
    fn add_artifact(&mut self, source: &Source) {
        let index = self.nodes.len();
        let is_remote = is_url(&source.path);
        self.nodes.push(Node {
            kind: source.kind,
            name: source.name.clone(),
            handle: source.handle.clone(),
            path: (!is_remote).then(|| source.path.clone()),
            version: source.version.clone(),
            metadata: source.metadata.clone(),
            standing: if is_remote { Standing::Remote } else { Standing::Artifact },
        });
        self.artifacts.push(index);
        self.by_path.insert(source.path.clone(), index);
        if is_remote {
            return;
        }
        self.by_slug.entry((source.kind, source.slug.clone())).or_insert(index);
        // Plans, decisions and tasks share their folder with others.
        if !matches!(source.kind, ArtifactKind::Plan | ArtifactKind::Decision | ArtifactKind::Task)
            && let Some((folder, _)) = source.path.rsplit_once('/')
        {
            self.by_path.entry(folder.to_owned()).or_insert(index);
        }
    }

    /// The node that a link leads to, and whether it was made for it.
    fn target(&mut self, source: &Source, link: &Link) -> (usize, bool) {
        let reference = link.reference.trim();
        let is_remote = is_url(&source.path);
        let is_bare = !is_remote && !reference.contains(['/', ':']);
        if is_bare && let Some(found) = self.named(reference, link.kinds) {
            return (found, false);
        }
        let folder = folder_of(&source.path);
        let (first, second) = match link.base {
            LinkBase::Document => (folder, ""),
            LinkBase::Root if is_remote => (folder, folder),
            LinkBase::Root => ("", folder),
        };
        match resolve(first, reference) {
            Ok(ReferenceTarget::Handle(handle)) => match self.handle(&handle) {
                Some(found) => (found, false),
                None => self.stranger(reference, handle.scheme.kind(), None, Standing::Unknown),
            },
            Ok(ReferenceTarget::Url(url)) => match self.by_path.get(&url) {
                Some(&found) => (found, false),
                None => self.remote(&url),
            },
            Ok(ReferenceTarget::Inside(path)) => self.path(&path, second, reference, link.kinds),
            Ok(ReferenceTarget::Outside) => match resolve(second, reference) {
                Ok(ReferenceTarget::Inside(path)) => self.path(&path, second, reference, link.kinds),
                _ => self.lost(reference, "it leads out of the workspace"),
            },
            Err(fault) => self.lost(reference, &fault.to_string()),
        }
    }

    fn path(&mut self, path: &str, second: &str, reference: &str, kinds: &[ArtifactKind]) -> (usize, bool) {
        if let Some(&found) = self.by_path.get(path) {
            return (found, false);
        }
        if let Ok(ReferenceTarget::Inside(other)) = resolve(second, reference)
            && let Some(&found) = self.by_path.get(&other)
        {
            return (found, false);
        }
        if let Some(found) = self.named(reference, kinds) {
            return (found, false);
        }
        let is_document = reference.contains(['/', '.']);
        let kind = match kinds.first() {
            Some(&kind) if !is_document => kind,
            _ => ArtifactKind::of_path(path),
        };
        self.stranger(reference, kind, is_document.then_some(path), Standing::Unknown)
    }

    fn named(&self, name: &str, kinds: &[ArtifactKind]) -> Option<usize> {
        kinds.iter().find_map(|kind| self.by_slug.get(&(*kind, name.to_owned())).copied())
    }

    fn handle(&self, handle: &Handle) -> Option<usize> {
        let kind = handle.scheme.kind();
        let find = |id: &str| self.by_slug.get(&(kind, id.to_owned())).copied();
        find(handle.id.as_str()).or_else(|| find(&handle.id.as_str().to_lowercase()))
    }

    fn lost(&mut self, reference: &str, why: &str) -> (usize, bool) {
        let kind = ArtifactKind::of_path(reference);
        let (index, is_new) = self.stranger(reference, kind, None, Standing::Unknown);
        self.nodes[index].metadata.insert("error".to_owned(), why.to_owned());
        (index, is_new)
    }

    /// The node of a document on the web that nobody has looked at.
    fn remote(&mut self, url: &str) -> (usize, bool) {
        let (index, is_new) = self.stranger(url, ArtifactKind::of_path(url), None, Standing::Remote);
        self.nodes[index].metadata.insert("metadata_status".to_owned(), "missing".to_owned());
        (index, is_new)
    }

    /// The node that stands for a reference; several that mean one path share it.
    fn stranger(
        &mut self,
        reference: &str,
        kind: ArtifactKind,
        path: Option<&str>,
        standing: Standing,
    ) -> (usize, bool) {
        let key = path.unwrap_or(reference);
        if let Some(&known) = self.strangers.get(key) {
            return (known, false);
        }
        let index = self.nodes.len();
        self.nodes.push(Node {
            kind,
            name: reference.to_owned(),
            handle: key.to_owned(),
            path: path.map(str::to_owned),
            version: None,
            metadata: BTreeMap::from([("locator".to_owned(), reference.to_owned())]),
            standing,
        });
        self.strangers.insert(key.to_owned(), index);
        (index, true)
    }

    fn finish(self) -> WorkspaceGraph {
        let Self { nodes, by_slug, by_path, edges, .. } = self;
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|&a, &b| (&nodes[a].handle, nodes[a].kind).cmp(&(&nodes[b].handle, nodes[b].kind)));
        let mut rank = vec![NodeId(0); nodes.len()];
        for (place, &index) in order.iter().enumerate() {
            rank[index] = NodeId::of(place);
        }
        let mut slots: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let nodes: Vec<Node> =
            order.iter().map(|&index| slots[index].take().expect("each place is taken once")).collect();
        let edges = merged(edges.iter().map(|edge| Edge {
            from: rank[edge.from],
            to: rank[edge.to],
            relation: edge.link.relation,
            optional: edge.link.optional,
            strength: edge.link.strength,
        }));
        let starts = starts(nodes.len(), edges.iter().map(|edge| edge.from));
        let mut incoming: Vec<u32> =
            (0..u32::try_from(edges.len()).expect("fewer than four billion edges")).collect();
        incoming.sort_by_key(|&edge| edges[edge as usize].to);
        let incoming_starts = starts_of(nodes.len(), &incoming, &edges);
        let in_cycle = cycles::in_cycle(nodes.len(), &edges, &starts);
        WorkspaceGraph {
            nodes,
            edges,
            starts,
            incoming,
            incoming_starts,
            in_cycle,
            by_slug: by_slug.into_iter().map(|(key, index)| (key, rank[index])).collect(),
            by_path: by_path.into_iter().map(|(key, index)| (key, rank[index])).collect(),
        }
    }
}

/// Sorted, with several mentions of one thing in one relation made one.
fn merged(edges: impl Iterator<Item = Edge>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = edges.collect();
    edges.sort_by_key(|edge| (edge.from, edge.to, edge.relation));
    edges.dedup_by(|later, first| {
        let same = (later.from, later.to, later.relation) == (first.from, first.to, first.relation);
        if same {
            first.optional &= later.optional;
            if later.strength == Some(DependencyKind::Hard) {
                first.strength = later.strength;
            }
        }
        same
    });
    edges
}

fn starts_of(nodes: usize, incoming: &[u32], edges: &[Edge]) -> Vec<u32> {
    starts(nodes, incoming.iter().map(|&edge| edges[edge as usize].to))
}

/// Where the entries of each node begin in a list that is sorted by node.
fn starts(nodes: usize, owners: impl Iterator<Item = NodeId>) -> Vec<u32> {
    let mut starts = vec![0_u32; nodes + 1];
    for owner in owners {
        starts[owner.index() + 1] += 1;
    }
    for index in 0..nodes {
        starts[index + 1] += starts[index];
    }
    starts
}
