//! Walks along the edges: everything that a node needs, everything that needs it, and where it goes round in a circle.

use std::collections::{HashMap, VecDeque};

use super::{Edge, NodeId, WorkspaceGraph};

/// The part of a graph that a walk reached.
#[derive(Debug, Default)]
pub struct Walk {
    /// In the order of where they begin and end.
    pub edges: Vec<Edge>,
    /// The first node on a circle that the walk came by.
    knot: Option<NodeId>,
}

/// Which way a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// To what a node names.
    Up,
    /// To what names it.
    Down,
}

impl WorkspaceGraph {
    /// All edges from a node on, to what it needs and what that needs.
    pub fn upstream(&self, root: NodeId) -> Walk {
        self.walk(root, Direction::Up)
    }

    /// All edges that lead to a node, and to what leads there.
    pub fn downstream(&self, root: NodeId) -> Walk {
        self.walk(root, Direction::Down)
    }

    /// The shortest circle that a walk came by, from a node back to itself.
    pub fn circle(&self, walk: &Walk) -> Option<Vec<NodeId>> {
        let knot = walk.knot?;
        let binding = self.outgoing(knot).iter().filter(|edge| edge.relation.binds());
        let ways = binding.filter_map(|edge| self.path(edge.to, knot));
        let mut chain = ways.min_by_key(Vec::len)?;
        chain.insert(0, knot);
        Some(chain)
    }

    /// The way along binding edges from one node to another, both included; the shortest there is.
    pub fn path(&self, from: NodeId, to: NodeId) -> Option<Vec<NodeId>> {
        let mut came_from: HashMap<NodeId, NodeId> = HashMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            if node == to {
                let mut chain = vec![node];
                let mut at = node;
                while at != from {
                    at = came_from[&at];
                    chain.push(at);
                }
                chain.reverse();
                return Some(chain);
            }
            for edge in self.outgoing(node).iter().filter(|edge| edge.relation.binds()) {
                if edge.to != from && !came_from.contains_key(&edge.to) {
                    came_from.insert(edge.to, node);
                    waiting.push_back(edge.to);
                }
            }
        }
        None
    }

    fn walk(&self, root: NodeId, direction: Direction) -> Walk {
        let mut reached = vec![false; self.nodes.len()];
        reached[root.index()] = true;
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let mut reach = |next: NodeId| {
                if !std::mem::replace(&mut reached[next.index()], true) {
                    waiting.push(next);
                }
            };
            match direction {
                Direction::Up => self.outgoing(node).iter().for_each(|edge| reach(edge.to)),
                Direction::Down => self.incoming(node).for_each(|edge| reach(edge.from)),
            }
        }
        let mut walk = Walk::default();
        for index in (0..self.nodes.len()).filter(|&index| reached[index]) {
            let node = NodeId::of(index);
            let edges = self.outgoing(node).iter();
            // Going down, only edges that lead on to the root count.
            walk.edges.extend(edges.filter(|edge| direction == Direction::Up || reached[edge.to.index()]));
            if walk.knot.is_none() && self.in_cycle[index] {
                walk.knot = Some(node);
            }
        }
        walk
    }
}
