//! What hangs around one artifact, so many steps away.

use std::collections::{HashMap, HashSet, VecDeque};

use hewto_core::near::near;
use hewto_store::Context;

use crate::error::{Error, Key, Kind, Result};
use crate::graph::{Member, Surroundings};
use crate::view::{GraphEdge, GraphNode, NeighbourhoodView};
use crate::workspace::Workspace;

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
    let all = Surroundings::load(ws, ctx)?;
    let depth = depth.clamp(1, DEEPEST);
    let node = |member: Member, distance: i32| GraphNode { artifact: all.summary(ws, member), distance };
    let Some(around) = around else {
        let nodes = all.members().take(LARGEST_GRAPH).map(|member| node(member, 0)).collect();
        let left_out = all.len().saturating_sub(LARGEST_GRAPH);
        return Ok(NeighbourhoodView { depth, nodes, left_out, ..NeighbourhoodView::default() });
    };
    let middle = find(&all, around)?;
    let Reached { order, distance, left_out } = reached(&all, middle, depth);
    let place: HashMap<Member, usize> = order.iter().enumerate().map(|(at, member)| (*member, at)).collect();
    let edges = order.iter().enumerate().flat_map(|(from, member)| {
        let needs = all.needs(*member).into_iter();
        let shown = needs.filter_map(|(to, relation)| Some((*place.get(&to)?, relation)));
        shown.map(move |(to, relation)| GraphEdge { from, to, r#type: relation.to_owned() })
    });
    let edges = edges.collect();
    let nodes = order.iter().map(|member| node(*member, distance[member])).collect();
    Ok(NeighbourhoodView { around: Some(all.handle(middle).to_owned()), depth, nodes, edges, left_out })
}

fn find(all: &Surroundings, around: &str) -> Result<Member> {
    let change = around.strip_prefix("change:").unwrap_or(around);
    let meant =
        [around.to_owned(), format!("spec://{}", around.replace('/', "%2F")), format!("change://{change}")];
    meant.iter().find_map(|handle| all.with_handle(handle)).ok_or_else(|| {
        let near = near(around, all.members().map(|member| all.handle(member)), 5);
        let shown: String = around.chars().take(200).collect();
        Error::new(
            Kind::Refused,
            Key::ArtifactNotFound,
            format!("no artifact has the handle `{}`", shown.escape_debug()),
        )
        .detail("near", serde_json::json!(near))
        .hint("choose one of the list")
    })
}

/// Everything within some steps, nearest first.
struct Reached {
    order: Vec<Member>,
    distance: HashMap<Member, i32>,
    left_out: usize,
}

fn reached(all: &Surroundings, middle: Member, depth: usize) -> Reached {
    let mut distance: HashMap<Member, i32> = HashMap::from([(middle, 0)]);
    let mut queue = VecDeque::from([(middle, 0_usize, 0_i32)]);
    let mut order = vec![middle];
    let mut left_out: HashSet<Member> = HashSet::new();
    while let Some((at, steps, place)) = queue.pop_front() {
        if steps == depth {
            continue;
        }
        let needs = all.needs(at).into_iter().map(|(next, _)| (next, -1));
        let needed_by = all.needed_by(at).into_iter().map(|next| (next, 1));
        for (next, way) in needs.chain(needed_by) {
            if distance.contains_key(&next) {
                continue;
            }
            if order.len() == LARGEST_GRAPH {
                left_out.insert(next);
                continue;
            }
            // Whatever lies on a way keeps to its side.
            let side = if place == 0 { way } else { place.signum() };
            let far = i32::try_from(steps + 1).unwrap_or(1) * side;
            distance.insert(next, far);
            order.push(next);
            queue.push_back((next, steps + 1, far));
        }
    }
    Reached { order, distance, left_out: left_out.len() }
}
