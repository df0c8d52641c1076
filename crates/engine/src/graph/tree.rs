//! `dependency.tree` and `dependency.slice`: what an artifact needs, and what needs it.

use std::sync::Arc;

use hewto_core::artifact::ArtifactKind;
use hewto_core::page::chars_of;
use hewto_core::workspace_graph::{Edge, Node, NodeId, Standing, Walk, WorkspaceGraph};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::linked;
use super::locate::{Target, locate};
use super::remote::{with_address, with_document};
use super::{edge_view, load, summary};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::page::{DEFAULT_MAX_CHARS, PageRequest, paginate};
use crate::remote::{self, NamedBy, Wanted};
use crate::view::{
    ArtifactSummary, DependencyEdge, DependencyTree, EdgeList, EdgeRelation, GraphView, OmittedEdges,
};
use crate::workspace::Workspace;

/// A plan carries its document beside the tree.
const PLAN_BUDGET: usize = DEFAULT_MAX_CHARS / 2;
/// Room for the root and the braces around the edges.
const ENVELOPE_CHARS: usize = 2_000;

/// Which tree is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TreeRequest {
    /// A handle such as spec://name (with or without /dependencies), a path, or an https address
    pub locator: String,
    // How large the answer may grow.
    #[schemars(range(min = 1000, max = 1_000_000))]
    pub max_chars: Option<usize>,
}

/// Which way to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "")]
pub enum Direction {
    Upstream,
    Downstream,
}

/// Everything that hangs on an artifact, both ways. A circle is an error that carries the tree as far as it goes.
pub fn tree(ws: &Workspace, ctx: &Context, request: &TreeRequest) -> Result<DependencyTree> {
    let (graph, root) = rooted(ws, ctx, &request.locator)?;
    let budget = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS);
    match root {
        Root::Node(root) => {
            let tree = whole_tree(ws, ctx, &graph, root, budget)?;
            let links = linked::edges(ws, ctx, &graph, Some(root), EdgeRelation::Downstream)?;
            Ok(with_links(ctx, tree, links, budget))
        }
        Root::Stranger(root) => Ok(lonely(root)),
    }
}

/// The tree, and behind it the code and tests that are linked to its root, as far as they fit.
fn with_links(
    ctx: &Context,
    mut tree: DependencyTree,
    links: Vec<DependencyEdge>,
    budget: usize,
) -> DependencyTree {
    let mut room = budget.saturating_sub(chars_of(&tree));
    let mut left_out = 0;
    for link in links {
        let cost = 2 * chars_of(&link);
        if cost > room {
            left_out += 1;
            continue;
        }
        room -= cost;
        tree.downstream.push(link.clone());
        tree.aggregate.push(link);
    }
    if left_out > 0 {
        let hint = ctx.say(Action::ListLinks.then(", or raise `max_chars`"));
        let omitted = tree.omitted.get_or_insert(OmittedEdges { upstream: 0, downstream: 0, hint });
        omitted.downstream += left_out;
    }
    tree
}

/// The edges on one side of an artifact, a page at a time.
pub fn slice(
    ws: &Workspace,
    ctx: &Context,
    locator: &str,
    direction: Direction,
    page: &PageRequest,
) -> Result<EdgeList> {
    let (graph, root) = rooted(ws, ctx, locator)?;
    let (walk, relation) = match (root, direction) {
        (Root::Stranger(_), _) => (Walk::default(), EdgeRelation::Upstream),
        (Root::Node(root), Direction::Upstream) => {
            let up = graph.upstream(root);
            refuse_circle(ws, ctx, &graph, root, &up, &Walk::default(), DEFAULT_MAX_CHARS)?;
            (up, EdgeRelation::Upstream)
        }
        (Root::Node(root), Direction::Downstream) => {
            let down = graph.downstream(root);
            refuse_circle(ws, ctx, &graph, root, &Walk::default(), &down, DEFAULT_MAX_CHARS)?;
            (down, EdgeRelation::Downstream)
        }
    };
    let keyed: Vec<(String, &Edge)> = walk.edges.iter().map(|edge| (key(&graph, edge), edge)).collect();
    let list = ("slice", ws.root(), locator, direction);
    let (edges, page) =
        paginate(&keyed, page, &list, |(key, _)| key, |(_, edge)| edge_view(ws, &graph, edge, relation))?;
    Ok(EdgeList { edges, page })
}

/// The tree of a node, within the default budget.
pub(crate) fn tree_of(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    root: NodeId,
) -> Result<DependencyTree> {
    whole_tree(ws, ctx, graph, root, PLAN_BUDGET)
}

/// The tree of a node even if it has a circle in it.
pub(crate) fn partial_tree(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    root: NodeId,
) -> DependencyTree {
    cut(ws, ctx, graph, root, &graph.upstream(root), &graph.downstream(root), PLAN_BUDGET)
}

fn whole_tree(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    root: NodeId,
    budget: usize,
) -> Result<DependencyTree> {
    let (up, down) = (graph.upstream(root), graph.downstream(root));
    refuse_circle(ws, ctx, graph, root, &up, &down, budget)?;
    Ok(cut(ws, ctx, graph, root, &up, &down, budget))
}

/// All artifacts and all edges between them.
pub fn whole(ws: &Workspace, ctx: &Context) -> Result<GraphView> {
    let graph = load(ws, ctx)?;
    let mut artifacts: Vec<ArtifactSummary> = graph.nodes().map(|(_, node)| summary(ws, node)).collect();
    let edges = graph.nodes().flat_map(|(id, _)| graph.outgoing(id));
    let mut edges: Vec<DependencyEdge> =
        edges.map(|edge| edge_view(ws, &graph, edge, EdgeRelation::Upstream)).collect();
    for link in linked::edges(ws, ctx, &graph, None, EdgeRelation::Upstream)? {
        if !artifacts.iter().any(|known| known.handle == link.from.handle) {
            artifacts.push(link.from.clone());
        }
        edges.push(link);
    }
    Ok(GraphView { artifacts, edges })
}

/// Sorts as the edges do: every handle ends before any character that can be in one.
fn key(graph: &WorkspaceGraph, edge: &Edge) -> String {
    let handle = |node| &graph.node(node).handle;
    format!("{}\u{1}{}\u{1}{}", handle(edge.from), handle(edge.to), edge.relation as u8)
}

enum Root {
    Node(NodeId),
    /// Something outside the graph: nothing hangs on it.
    Stranger(ArtifactSummary),
}

/// The graph in which a locator is looked at, and where it leads. An address is fetched, and is part of the graph
/// whatever comes of it.
fn rooted(ws: &Workspace, ctx: &Context, locator: &str) -> Result<(Arc<WorkspaceGraph>, Root)> {
    let graph = load(ws, ctx)?;
    let root = match locate(ws, &graph, locator)? {
        Target::Artifact(node) => Root::Node(node),
        Target::Document(path) => match graph.stranger(&path) {
            Some(node) => Root::Node(node),
            None => Root::Stranger(stranger(ws, path)),
        },
        Target::Remote(url) => {
            let (graph, node) = match remote::fetch_or_kept(ws, ctx, &url, Wanted::Document, NamedBy::Caller)
            {
                Ok(document) => with_document(ws, ctx, &url, &document)?,
                Err(error) if error.key == Wanted::Document.unreachable() => {
                    with_address(ws, ctx, &url, error.full_message())?
                }
                Err(error) => return Err(error),
            };
            return Ok((Arc::new(graph), Root::Node(node)));
        }
    };
    Ok((graph, root))
}

fn stranger(ws: &Workspace, name: String) -> ArtifactSummary {
    let node = Node {
        kind: ArtifactKind::of_path(&name),
        handle: name.clone(),
        path: Some(name.clone()),
        version: None,
        metadata: [("locator".to_owned(), name.clone())].into(),
        standing: Standing::Unknown,
        name,
    };
    summary(ws, &node)
}

fn lonely(root: ArtifactSummary) -> DependencyTree {
    DependencyTree { root, upstream: vec![], downstream: vec![], aggregate: vec![], omitted: None }
}

/// The tree, as much of it as fits: what an artifact needs first.
fn cut(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    root: NodeId,
    up: &Walk,
    down: &Walk,
    budget: usize,
) -> DependencyTree {
    let root = summary(ws, graph.node(root));
    let mut room = budget.saturating_sub(ENVELOPE_CHARS);
    let mut take = |walk: &Walk, relation: EdgeRelation, share: usize| {
        let mut taken: Vec<DependencyEdge> = Vec::new();
        let mut spent = 0;
        for edge in &walk.edges {
            let view = edge_view(ws, graph, edge, relation);
            // Every edge stands in its list and in the aggregate.
            let cost = 2 * chars_of(&view);
            if spent + cost > share {
                break;
            }
            spent += cost;
            taken.push(view);
        }
        room -= spent;
        (taken, room)
    };
    let share = if down.edges.is_empty() { usize::MAX } else { budget / 2 };
    let (upstream, rest) = take(up, EdgeRelation::Upstream, share.min(budget.saturating_sub(ENVELOPE_CHARS)));
    let (downstream, _) = take(down, EdgeRelation::Downstream, rest);
    let omitted = OmittedEdges {
        upstream: up.edges.len() - upstream.len(),
        downstream: down.edges.len() - downstream.len(),
        hint: ctx.say(Action::PageDependencies.to("see all of them, or raise `max_chars`")),
    };
    let aggregate = upstream.iter().chain(&downstream).cloned().collect();
    let is_whole = omitted.upstream + omitted.downstream == 0;
    DependencyTree { root, upstream, downstream, aggregate, omitted: (!is_whole).then_some(omitted) }
}

/// Reports a circle with its chain, and the tree as far as it goes.
fn refuse_circle(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    root: NodeId,
    up: &Walk,
    down: &Walk,
    budget: usize,
) -> Result<()> {
    let Some(chain) = graph.circle(up).or_else(|| graph.circle(down)) else { return Ok(()) };
    let partial = cut(ws, ctx, graph, root, up, down, budget);
    let chain: Vec<&str> = chain.iter().map(|&node| graph.node(node).handle.as_str()).collect();
    Err(Error::new(
        Kind::Refused,
        Key::DependencyCycle,
        format!("the dependencies form a circle: {}", chain.join(" → ")),
    )
    .detail("chain", json!(chain))
    .detail("partial", json!(partial))
    .hint("take one of the references in the chain out"))
}
