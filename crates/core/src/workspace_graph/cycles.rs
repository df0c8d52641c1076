//! Which nodes stand on a circle of edges that bind: Tarjan's algorithm without recursion, since a chain may be long.

use super::{Edge, NodeId};

pub(super) fn in_cycle(nodes: usize, edges: &[Edge], starts: &[u32]) -> Vec<bool> {
    let mut search = Search {
        edges,
        starts,
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        on_stack: vec![false; nodes],
        stack: Vec::new(),
        next: 0,
        in_cycle: vec![false; nodes],
    };
    for node in 0..nodes {
        if search.index[node] == UNSEEN {
            search.visit(node);
        }
    }
    search.in_cycle
}

const UNSEEN: usize = usize::MAX;

struct Search<'g> {
    edges: &'g [Edge],
    starts: &'g [u32],
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    in_cycle: Vec<bool>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        // A node and the next of its edges.
        let mut visits = vec![(root, self.enter(root))];
        while let Some((node, edge)) = visits.last_mut() {
            let node = *node;
            if *edge < self.starts[node + 1] as usize {
                let Edge { to: NodeId(to), relation, .. } = self.edges[*edge];
                *edge += 1;
                let to = to as usize;
                if !relation.binds() {
                    continue;
                }
                if to == node {
                    self.in_cycle[node] = true;
                } else if self.index[to] == UNSEEN {
                    let first = self.enter(to);
                    visits.push((to, first));
                } else if self.on_stack[to] {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
                continue;
            }
            visits.pop();
            if let Some((parent, _)) = visits.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.leave(node);
            }
        }
    }

    /// Numbers a node and says where its edges begin.
    fn enter(&mut self, node: usize) -> usize {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
        self.starts[node] as usize
    }

    /// Takes a whole component from the stack.
    fn leave(&mut self, root: usize) {
        let begin = self.stack.iter().rposition(|&node| node == root).expect("a root is on the stack");
        let component = self.stack.split_off(begin);
        for &node in &component {
            self.on_stack[node] = false;
            self.in_cycle[node] |= component.len() > 1;
        }
    }
}
