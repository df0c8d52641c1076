//! A directed graph of names: who depends on whom, and where it goes round in a circle.

use std::collections::{BTreeMap, BTreeSet};

/// Edges from a name to the names it depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DependencyGraph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl DependencyGraph {
    pub fn add(&mut self, from: &str, to: &str) {
        self.edges.entry(from.to_owned()).or_default().insert(to.to_owned());
    }

    /// The chain `from → … → from` that adding `from → to` would close, if any.
    pub fn cycle_through(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut chain = self.path(to, from)?;
        chain.insert(0, from.to_owned());
        Some(chain)
    }

    /// One representative chain for every knot of names that depend on each other, self-edges left out.
    ///
    /// The chain starts and ends with the knot's first name, so the answer is the same on every run.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let mut cycles = Vec::new();
        let mut knotted: BTreeSet<&str> = BTreeSet::new();
        for component in self.components() {
            let Some(first) = component.iter().min() else { continue };
            if component.len() < 2 || knotted.contains(first) {
                continue;
            }
            knotted.extend(component.iter());
            let next = self.edges[*first].iter().filter(|to| component.contains(&to.as_str()) && to != first);
            if let Some(mut chain) = next.filter_map(|to| self.path(to, first)).min_by_key(Vec::len) {
                chain.insert(0, (*first).to_owned());
                cycles.push(chain);
            }
        }
        cycles.sort();
        cycles
    }

    /// The shortest way from one name to another, both included.
    fn path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut frontier = vec![from];
        let mut seen: BTreeSet<&str> = BTreeSet::from([from]);
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for name in frontier {
                if name == to {
                    let mut chain = vec![name.to_owned()];
                    let mut at = name;
                    while let Some(previous) = came_from.get(at) {
                        chain.push((*previous).to_owned());
                        at = previous;
                    }
                    chain.reverse();
                    return Some(chain);
                }
                for target in self.edges.get(name).into_iter().flatten() {
                    if seen.insert(target) {
                        came_from.insert(target, name);
                        next.push(target.as_str());
                    }
                }
            }
            frontier = next;
        }
        None
    }

    /// Strongly connected components, by Tarjan's algorithm without recursion (a chain may be very long).
    fn components(&self) -> Vec<Vec<&str>> {
        struct Visit<'g> {
            name: &'g str,
            targets: Vec<&'g str>,
        }
        let mut index: BTreeMap<&str, usize> = BTreeMap::new();
        let mut low: BTreeMap<&str, usize> = BTreeMap::new();
        let mut on_stack: BTreeSet<&str> = BTreeSet::new();
        let mut stack: Vec<&str> = Vec::new();
        let mut components = Vec::new();
        let targets = |name: &str| self.edges.get(name).into_iter().flatten().map(String::as_str).collect();
        for root in self.edges.keys() {
            if index.contains_key(root.as_str()) {
                continue;
            }
            let mut visits: Vec<Visit<'_>> = Vec::new();
            let mut entering = Some(root.as_str());
            loop {
                if let Some(name) = entering.take() {
                    index.insert(name, index.len());
                    low.insert(name, index[name]);
                    stack.push(name);
                    on_stack.insert(name);
                    visits.push(Visit { name, targets: targets(name) });
                }
                let Some(visit) = visits.last_mut() else { break };
                let name = visit.name;
                if let Some(target) = visit.targets.pop() {
                    if !index.contains_key(target) {
                        entering = Some(target);
                    } else if on_stack.contains(target) {
                        let lowest = low[name].min(index[target]);
                        low.insert(name, lowest);
                    }
                    continue;
                }
                visits.pop();
                if let Some(parent) = visits.last() {
                    let lowest = low[parent.name].min(low[name]);
                    low.insert(parent.name, lowest);
                }
                if low[name] == index[name] {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        on_stack.remove(member);
                        component.push(member);
                        if member == name {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> DependencyGraph {
        let mut graph = DependencyGraph::default();
        for (from, to) in edges {
            graph.add(from, to);
        }
        graph
    }

    #[test]
    fn an_edge_that_would_close_a_circle_is_shown_with_its_chain() {
        let graph = graph(&[("b", "c"), ("c", "a")]);
        assert_eq!(graph.cycle_through("a", "b").unwrap(), ["a", "b", "c", "a"]);
        assert_eq!(graph.cycle_through("b", "a"), None);
    }

    #[test]
    fn every_knot_is_reported_once() {
        let graph = graph(&[("a", "b"), ("b", "a"), ("x", "y"), ("y", "z"), ("z", "x"), ("q", "a")]);
        assert_eq!(graph.cycles(), [vec!["a", "b", "a"], vec!["x", "y", "z", "x"]]);
    }

    #[test]
    fn a_very_long_chain_does_not_exhaust_the_stack() {
        let mut graph = DependencyGraph::default();
        for n in 0..20_000 {
            graph.add(&format!("{n:05}"), &format!("{:05}", (n + 1) % 20_000));
        }
        let cycles = graph.cycles();
        assert_eq!(cycles.len(), 1);
        assert_eq!(cycles[0].len(), 20_001);
    }

    #[test]
    fn a_self_edge_is_not_a_cycle_of_several() {
        assert!(graph(&[("a", "a")]).cycles().is_empty());
    }
}
