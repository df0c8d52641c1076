//! What hangs around one artifact, so many steps away.

use std::collections::{HashMap, VecDeque};

use hewto_store::Context;

use crate::error::{Error, Key, Kind, Result};
use crate::graph;
use crate::view::{ArtifactSummary, GraphEdge, GraphNode, NeighbourhoodView};
use crate::workspace::Workspace;
use hewto_core::near::near;

/// The most artifacts that a drawing holds.
pub const LARGEST_GRAPH: usize = 150;
/// How far a drawing reaches at most.
const DEEPEST: usize = 3;

/// What is within `depth` steps (1 to 3) of a handle, or of the spec or change of this id; the artifacts to choose from where none is given.
pub fn neighbourhood(
    ws: &Workspace,
    ctx: &Context,
    around: Option<&str>,
    depth: usize,
) -> Result<NeighbourhoodView> {
    let whole = graph::whole(ws, ctx)?;
    let depth = depth.clamp(1, DEEPEST);
    let Some(around) = around else {
        let left_out = whole.artifacts.len().saturating_sub(LARGEST_GRAPH);
        let nodes = whole.artifacts.into_iter().take(LARGEST_GRAPH);
        let nodes = nodes.map(|artifact| GraphNode { artifact, distance: 0 }).collect();
        return Ok(NeighbourhoodView { depth, nodes, left_out, ..NeighbourhoodView::default() });
    };
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<&ArtifactSummary> = Vec::new();
    let ends = whole.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    for artifact in whole.artifacts.iter().chain(ends) {
        places.entry(&artifact.handle).or_insert_with(|| {
            all.push(artifact);
            all.len() - 1
        });
    }
    let change = around.strip_prefix("change:").unwrap_or(around);
    let meant =
        [around.to_owned(), format!("spec://{}", around.replace('/', "%2F")), format!("change://{change}")];
    let Some(middle) = meant.iter().find_map(|handle| places.get(handle.as_str()).copied()) else {
        let near = near(around, places.keys().copied(), 5);
        let shown: String = around.chars().take(200).collect();
        return Err(Error::new(
            Kind::Refused,
            Key::ArtifactNotFound,
            format!("no artifact has the handle `{}`", shown.escape_debug()),
        )
        .detail("near", serde_json::json!(near))
        .hint("choose one of the list"));
    };
    let mut joined: Vec<Vec<(usize, i32)>> = vec![Vec::new(); all.len()];
    for edge in &whole.edges {
        let (from, to) = (places[edge.from.handle.as_str()], places[edge.to.handle.as_str()]);
        joined[from].push((to, -1));
        joined[to].push((from, 1));
    }
    let mut distance: HashMap<usize, i32> = HashMap::from([(middle, 0)]);
    let mut queue = VecDeque::from([(middle, 0_usize, 0_i32)]);
    let mut order = vec![middle];
    let mut left_out = 0;
    while let Some((at, steps, place)) = queue.pop_front() {
        if steps == depth {
            continue;
        }
        for (next, way) in &joined[at] {
            if distance.contains_key(next) {
                continue;
            }
            if order.len() == LARGEST_GRAPH {
                left_out += 1;
                continue;
            }
            // Whatever lies on a way keeps to its side.
            let side = if place == 0 { *way } else { place.signum() };
            let far = i32::try_from(steps + 1).unwrap_or(1) * side;
            distance.insert(*next, far);
            order.push(*next);
            queue.push_back((*next, steps + 1, far));
        }
    }
    let shown: HashMap<usize, usize> = order.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let edges = whole.edges.iter().filter_map(|edge| {
        let from = shown.get(&places[edge.from.handle.as_str()])?;
        let to = shown.get(&places[edge.to.handle.as_str()])?;
        Some(GraphEdge { from: *from, to: *to, r#type: edge.r#type.clone() })
    });
    let edges = edges.collect();
    let nodes = order.iter().map(|node| GraphNode {
        artifact: all[*node].clone(),
        distance: distance.get(node).copied().unwrap_or_default(),
    });
    Ok(NeighbourhoodView {
        around: Some(all[middle].handle.clone()),
        depth,
        nodes: nodes.collect(),
        edges,
        left_out,
    })
}
