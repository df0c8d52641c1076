//! Open changes that touch the same requirement.
//!
//! A rename makes two names one requirement, so chains of renames are followed, across changes too. An overlap is no
//! fault: the merge keeps every scenario. It is told as soon as it is there, while it is cheap to talk about.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use crate::delta::DeltaDoc;
use crate::near::fold;
use crate::requirement::Requirement;

/// A delta of an open change.
#[derive(Debug, Clone, Copy)]
pub struct OpenDelta<'a> {
    pub change: &'a str,
    pub capability: &'a str,
    pub delta: &'a DeltaDoc<'a>,
}

/// One requirement and the changes that touch it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overlap {
    pub capability: String,
    /// The name it has, or had first.
    pub requirement: String,
    /// In alphabetical order.
    pub changes: Vec<String>,
    /// Scenarios that one change has and another has not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_risk: Vec<AtRisk>,
    /// All names it goes by.
    #[serde(skip)]
    pub names: Vec<String>,
}

/// A scenario that would be lost if one change simply replaced what the other wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AtRisk {
    pub scenario: String,
    /// The change that has it.
    pub change: String,
    /// The change that has not.
    pub lost_by: String,
}

impl Overlap {
    pub fn concerns(&self, change: &str) -> bool {
        self.changes.iter().any(|known| known == change)
    }
}

/// The overlaps among all open changes, by capability and name.
pub fn overlaps<'a>(deltas: impl IntoIterator<Item = OpenDelta<'a>>) -> Vec<Overlap> {
    let mut capabilities: BTreeMap<&str, Vec<OpenDelta<'a>>> = BTreeMap::new();
    for delta in deltas {
        capabilities.entry(delta.capability).or_default().push(delta);
    }
    let several = capabilities.into_iter().filter(|(_, deltas)| deltas.len() > 1);
    several.flat_map(|(capability, deltas)| in_capability(capability, &deltas)).collect()
}

fn in_capability(capability: &str, deltas: &[OpenDelta<'_>]) -> Vec<Overlap> {
    let mut names = Names::default();
    for open in deltas {
        for (name, _) in open.delta.requirements() {
            names.add(name);
        }
        for rename in &open.delta.renamed {
            names.join(rename.from, rename.to);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, open) in deltas.iter().enumerate() {
        let touched: BTreeSet<usize> = open.delta.requirements().map(|(name, _)| names.group(name)).collect();
        for group in touched {
            groups.entry(group).or_default().push(at);
        }
    }
    let members = names.members();
    let sides: Vec<Sides<'_>> = deltas.iter().map(|open| Sides::of(open, &names)).collect();
    let targets: HashSet<String> =
        deltas.iter().flat_map(|open| &open.delta.renamed).map(|rename| fold(rename.to)).collect();
    let mut found: Vec<Overlap> = groups
        .into_iter()
        .filter_map(|(group, touching)| {
            let changes: BTreeSet<&str> = touching.iter().map(|at| deltas[*at].change).collect();
            (changes.len() > 1).then(|| Overlap {
                capability: capability.to_owned(),
                requirement: first_name(&members[&group], &targets),
                changes: changes.into_iter().map(str::to_owned).collect(),
                at_risk: at_risk(touching.iter().map(|at| &sides[*at]), group),
                names: members[&group].clone(),
            })
        })
        .collect();
    found.sort_by(|a, b| a.requirement.cmp(&b.requirement));
    found
}

/// For each scenario that some of the changes have, one that has it and one that has not.
fn at_risk<'a>(touching: impl Iterator<Item = &'a Sides<'a>>, group: usize) -> Vec<AtRisk> {
    let blocks: Vec<(&str, Option<&Requirement<'_>>)> = touching
        .filter_map(|sides| {
            let modified = sides.modified.get(&group).copied();
            let removes = sides.removed.contains(&group);
            (modified.is_some() || removes).then_some((sides.change, modified))
        })
        .collect();
    let mut holders: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (index, (_, block)) in blocks.iter().enumerate() {
        for scenario in block.iter().flat_map(|block| &block.scenarios) {
            let place = *places.entry(scenario.name).or_insert_with(|| {
                holders.push((scenario.name, Vec::new()));
                holders.len() - 1
            });
            holders[place].1.push(index);
        }
    }
    holders
        .into_iter()
        .filter_map(|(scenario, having)| {
            let lacking = (0..blocks.len()).find(|index| !having.contains(index))?;
            let holder = having.first()?;
            Some(AtRisk {
                scenario: scenario.to_owned(),
                change: blocks[*holder].0.to_owned(),
                lost_by: blocks[lacking].0.to_owned(),
            })
        })
        .collect()
}

/// What a delta does to each group of names.
struct Sides<'a> {
    change: &'a str,
    modified: HashMap<usize, &'a Requirement<'a>>,
    removed: HashSet<usize>,
}

impl<'a> Sides<'a> {
    fn of(open: &OpenDelta<'a>, names: &Names<'_>) -> Self {
        // Of two with one name the first counts.
        let modified = open.delta.modified.iter().rev();
        Self {
            change: open.change,
            modified: modified.map(|requirement| (names.group(requirement.name), requirement)).collect(),
            removed: open.delta.removed.iter().map(|removal| names.group(removal.name)).collect(),
        }
    }
}

/// Names that mean the same requirement, as a forest: each points to one that it is the same as.
#[derive(Debug, Default)]
struct Names<'a> {
    index: HashMap<String, usize>,
    parent: Vec<usize>,
    spelling: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn add(&mut self, name: &'a str) -> usize {
        let next = self.parent.len();
        let index = *self.index.entry(fold(name)).or_insert(next);
        if index == next {
            self.parent.push(next);
            self.spelling.push(name);
        }
        index
    }

    fn join(&mut self, one: &'a str, other: &'a str) {
        let (one, other) = (self.add(one), self.add(other));
        let roots = (self.root(one), self.root(other));
        let root = roots.0.min(roots.1);
        self.parent[roots.0.max(roots.1)] = root;
        // Chains stay short, however many renames follow each other.
        (self.parent[one], self.parent[other]) = (root, root);
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    /// The group of a name that was added.
    fn group(&self, name: &str) -> usize {
        self.index.get(&fold(name)).map_or(usize::MAX, |at| self.root(*at))
    }

    /// The names of each group.
    fn members(&self) -> HashMap<usize, Vec<String>> {
        let mut members: HashMap<usize, Vec<String>> = HashMap::new();
        for at in 0..self.parent.len() {
            members.entry(self.root(at)).or_default().push(self.spelling[at].to_owned());
        }
        members
    }
}

/// The name that no rename led to; any when they lead in a circle.
fn first_name(members: &[String], targets: &HashSet<String>) -> String {
    let first = members.iter().find(|name| !targets.contains(&fold(name)));
    first.or(members.first()).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn found(deltas: &[(&str, &str, &str)]) -> Vec<(String, String, Vec<String>)> {
        let documents: Vec<Document<'_>> = deltas.iter().map(|(_, _, text)| Document::parse(text)).collect();
        let read: Vec<DeltaDoc<'_>> = documents.iter().map(DeltaDoc::read).collect();
        let open = deltas.iter().zip(&read).map(|((change, capability, _), delta)| OpenDelta {
            change,
            capability,
            delta,
        });
        overlaps(open).into_iter().map(|o| (o.capability, o.requirement, o.changes)).collect()
    }

    const MODIFY_A: &str = "## MODIFIED Requirements\n### Requirement: A\nx\n#### Scenario: One\n- y\n";

    #[test]
    fn changes_overlap_where_they_touch_the_same_requirement() {
        let one = |requirement: &str| {
            vec![("auth".to_owned(), requirement.to_owned(), vec!["c1".to_owned(), "c2".to_owned()])]
        };
        for (second, expected) in [
            (MODIFY_A, one("A")),
            ("## REMOVED Requirements\n- ### Requirement: A\n", one("A")),
            ("## RENAMED Requirements\n### Requirement: A -> B\n", one("A")),
            ("## RENAMED Requirements\n### Requirement: Z -> A\n", one("Z")),
            ("## ADDED Requirements\n### Requirement: a\n", one("A")),
            ("## ADDED Requirements\n### Requirement: B\n", vec![]),
        ] {
            assert_eq!(found(&[("c1", "auth", MODIFY_A), ("c2", "auth", second)]), expected, "{second}");
        }
        assert_eq!(found(&[("c1", "auth", MODIFY_A), ("c2", "other", MODIFY_A)]), vec![]);
    }

    #[test]
    fn rename_chains_are_followed_across_changes() {
        let overlap = found(&[
            ("c1", "auth", "## RENAMED Requirements\n### Requirement: A -> B\n"),
            ("c2", "auth", "## RENAMED Requirements\n### Requirement: B -> C\n"),
            ("c3", "auth", "## MODIFIED Requirements\n### Requirement: C\nx\n"),
        ]);
        assert_eq!(overlap.len(), 1);
        assert_eq!((overlap[0].1.as_str(), overlap[0].2.len()), ("A", 3));
    }

    #[test]
    fn a_scenario_at_risk_is_named_with_both_changes() {
        let more = format!("{MODIFY_A}#### Scenario: Two\n- z\n");
        let documents = [Document::parse(&more), Document::parse(MODIFY_A)];
        let deltas: Vec<DeltaDoc<'_>> = documents.iter().map(DeltaDoc::read).collect();
        let open = ["c1", "c2"].iter().zip(&deltas);
        let found = overlaps(open.map(|(change, delta)| OpenDelta { change, capability: "auth", delta }));
        let risk = AtRisk { scenario: "Two".to_owned(), change: "c1".to_owned(), lost_by: "c2".to_owned() };
        assert_eq!(found[0].at_risk, [risk]);
        assert!(found[0].concerns("c2") && !found[0].concerns("c3"));
    }

    #[test]
    fn many_changes_on_one_requirement_are_one_overlap() {
        let documents: Vec<Document<'_>> = (0..1000).map(|_| Document::parse(MODIFY_A)).collect();
        let deltas: Vec<DeltaDoc<'_>> = documents.iter().map(DeltaDoc::read).collect();
        let ids: Vec<String> = (0..1000).map(|at| format!("c{at}")).collect();
        let open =
            ids.iter().zip(&deltas).map(|(change, delta)| OpenDelta { change, capability: "auth", delta });
        assert_eq!(overlaps(open).len(), 1);
    }
}
