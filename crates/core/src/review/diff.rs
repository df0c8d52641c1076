//! What is different between two meanings, told in requirements, scenarios and steps.

use std::collections::{HashMap, VecDeque};

use super::meaning::Meaning;
use super::units::{Part, UnitPlace};

/// One difference, with both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    pub place: UnitPlace,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    Added,
    Removed,
    Changed,
    /// The same text in another order.
    Moved,
}

impl DifferenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

impl Difference {
    /// The difference as a line for people.
    pub fn line(&self) -> String {
        format!("{}: {}", self.place.label(), self.kind.as_str())
    }
}

/// Everything that differs; all of `after` when nothing was there before. Two different meanings never give nothing.
pub fn differences(before: Option<&Meaning>, after: &Meaning) -> Vec<Difference> {
    let old = before.map(Meaning::units).unwrap_or_default();
    let new = after.units();
    // Units of the same name are paired in their order.
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let mut free: Vec<bool> = vec![true; old.len()];
    let mut named: HashMap<&UnitPlace, VecDeque<usize>> = HashMap::new();
    for (at, unit) in old.iter().enumerate() {
        named.entry(&unit.place).or_default().push_back(at);
    }
    for (at, unit) in new.iter().enumerate() {
        if let Some(found) = named.get_mut(&unit.place).and_then(VecDeque::pop_front) {
            free[found] = false;
            partner[at] = Some(found);
        }
    }
    let mut found = Vec::new();
    let mut furthest = None;
    for (unit, partner) in new.iter().zip(&partner) {
        let of = |kind, before: Option<&str>| Difference {
            kind,
            place: unit.place.clone(),
            before: before.map(str::to_owned),
            after: Some(unit.text.clone()),
        };
        match partner {
            None => found.push(of(DifferenceKind::Added, None)),
            Some(at) => {
                let was = old[*at].text.as_str();
                if was != unit.text {
                    found.push(of(DifferenceKind::Changed, Some(was)));
                } else if furthest.is_some_and(|furthest| *at < furthest) {
                    found.push(of(DifferenceKind::Moved, Some(was)));
                }
                furthest = furthest.max(Some(*at));
            }
        }
    }
    for (unit, _) in old.into_iter().zip(free).filter(|(_, free)| *free) {
        found.push(Difference {
            kind: DifferenceKind::Removed,
            place: unit.place,
            before: Some(unit.text),
            after: None,
        });
    }
    if found.is_empty() && before.is_some_and(|before| before != after) {
        let (before, after) = (before.map(Meaning::written), after.written());
        let place = UnitPlace::of(Part::Proposal);
        found.push(Difference { kind: DifferenceKind::Changed, place, before, after: Some(after) });
    }
    found
}
