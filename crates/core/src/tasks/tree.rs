//! Which tasks stand below which, and the numbers that they have for it.

use std::collections::HashMap;
use std::ops::Range;

use super::{Task, TasksDoc};

/// The tasks of a list with their nesting.
pub(super) struct Tree<'a, 't> {
    pub(super) tasks: Vec<&'a Task<'t>>,
    /// The task that each one stands below.
    pub(super) parents: Vec<Option<usize>>,
    /// Tasks that stand below none, each with what follows below it.
    pub(super) units: Vec<Range<usize>>,
    /// Whether `1.2.1` stands below `1.2` throughout.
    is_numbered_by_depth: bool,
}

/// A step in a new order.
pub(super) struct Node {
    pub(super) number: String,
    pub(super) indent: usize,
    pub(super) is_nested: bool,
}

impl<'a, 't> Tree<'a, 't> {
    pub(super) fn of(list: &'a TasksDoc<'t>) -> Self {
        let (mut tasks, mut parents, mut units) = (Vec::new(), Vec::new(), Vec::<Range<usize>>::new());
        for group in &list.groups {
            // The tasks that the next one may stand below, outermost first.
            let mut above: Vec<usize> = Vec::new();
            for task in &group.tasks {
                let at = tasks.len();
                while above.last().is_some_and(|&last: &usize| {
                    let last: &Task<'_> = tasks[last];
                    last.indent >= task.indent
                }) {
                    above.pop();
                }
                parents.push(above.last().copied());
                match units.last_mut() {
                    Some(unit) if !above.is_empty() => unit.end = at + 1,
                    _ => units.push(at..at + 1),
                }
                above.push(at);
                tasks.push(task);
            }
        }
        let by_depth = |at: usize| {
            let parent: Option<usize> = parents[at];
            let parent: Option<&Task<'_>> = parent.map(|parent| tasks[parent]);
            match (parent.map(|parent| parent.number), tasks[at].number) {
                (Some(Some(above)), Some(own)) => last_part(above, own).is_some(),
                (Some(None), Some(_)) => false,
                _ => true,
            }
        };
        let is_numbered_by_depth = (0..tasks.len()).all(by_depth);
        Self { tasks, parents, units, is_numbered_by_depth }
    }

    /// The numbers and depths of steps in another order: a step in the place of another takes over its number, and what
    /// is nested is counted below the step that it stands below now.
    pub(super) fn ordered(&self, matched: &[Option<usize>]) -> Vec<Node> {
        let mut numbers = Numbers::default();
        let mut order: Vec<Node> = Vec::with_capacity(matched.len());
        // Steps that the next one may stand below, each with how many already do.
        let mut above: Vec<(usize, usize)> = Vec::new();
        let mut units = 0;
        for ((place, found), next) in matched.iter().enumerate().zip(following(matched)) {
            let like = found.or(next).filter(|&at| self.parents[at].is_some());
            let indent = like.or(*found).map_or(0, |at| self.tasks[at].indent);
            match like {
                Some(_) => {
                    while above.last().is_some_and(|&(last, _)| order[last].indent >= indent) {
                        above.pop();
                    }
                }
                None => above.clear(),
            }
            let is_nested = !above.is_empty();
            let number = match above.last_mut() {
                Some((parent, below)) if self.is_numbered_by_depth => {
                    *below += 1;
                    let above = &order[*parent].number;
                    let is_counted = like.is_none_or(|at| self.tasks[at].number.is_some());
                    if above.is_empty() || !is_counted { String::new() } else { format!("{above}.{below}") }
                }
                above => {
                    let by_place = match above {
                        None if self.is_numbered_by_depth => {
                            self.units.get(units).map(|unit| self.tasks[unit.start])
                        }
                        _ => self.tasks.get(place).copied(),
                    };
                    let given = by_place.and_then(|task| task.number).map(str::to_owned);
                    given.unwrap_or_else(|| numbers.on_top(self, self.tasks.len().checked_sub(1)))
                }
            };
            units += usize::from(!is_nested);
            above.push((place, 0));
            order.push(Node { number, indent, is_nested });
        }
        order
    }
}

/// Numbers for new tasks, each given once.
#[derive(Default)]
pub(super) struct Numbers {
    /// By what stands before the last dot.
    highest: HashMap<String, usize>,
}

impl Numbers {
    /// The next number of the group that a task is in.
    pub(super) fn on_top(&mut self, tree: &Tree<'_, '_>, near: Option<usize>) -> String {
        let numbered = |tasks: &[&Task<'_>]| {
            tasks.iter().rev().find_map(|task| Some(task.number?.split('.').next()?.to_owned()))
        };
        let before = near.and_then(|near| numbered(&tree.tasks[..=near]));
        let group = before.or_else(|| numbered(&tree.tasks)).unwrap_or_else(|| "1".to_owned());
        self.next(tree, &group, tree.tasks.len())
    }

    /// The next number beside a task; none where its siblings have none.
    pub(super) fn below(&mut self, tree: &Tree<'_, '_>, sibling: usize) -> String {
        let parent = tree.parents[sibling].and_then(|parent| tree.tasks[parent].number);
        match (tree.tasks[sibling].number, parent) {
            (Some(_), Some(parent)) if tree.is_numbered_by_depth => self.next(tree, parent, 0),
            (Some(_), _) => self.on_top(tree, Some(sibling)),
            (None, _) => String::new(),
        }
    }

    /// One more than the highest number below `above`, or than `least` where there is none.
    fn next(&mut self, tree: &Tree<'_, '_>, above: &str, least: usize) -> String {
        let highest = self.highest.entry(above.to_owned()).or_insert_with(|| {
            let taken = tree.tasks.iter().filter_map(|task| last_part(above, task.number?));
            taken.max().unwrap_or(least)
        });
        *highest = highest.saturating_add(1);
        format!("{above}.{highest}")
    }
}

/// For each step the old one that comes next, itself or another behind it.
pub(super) fn following(matched: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut next = None;
    let mut all: Vec<Option<usize>> = Vec::with_capacity(matched.len());
    for found in matched.iter().rev() {
        next = found.or(next);
        all.push(next);
    }
    all.reverse();
    all
}

/// `3` of `1.2.3` and `1.2.3.4`, below `1.2`.
fn last_part(above: &str, number: &str) -> Option<usize> {
    let rest = number.strip_prefix(above)?.strip_prefix('.')?;
    let digits = rest.split('.').next()?;
    digits.trim_end_matches(|ch: char| ch.is_ascii_alphabetic()).parse().ok()
}
