//! What was said about each piece of an item, and who has seen it.

use std::collections::HashMap;

use hewto_core::review::{Meaning, Unit};

use crate::review::{Looks, unit_mark};
use crate::view::{CommentState, CommentView};

/// The pieces of an item, and what was said about each.
pub(super) struct Commented<'a> {
    /// Marks of the pieces of each requirement, by capability and name.
    marks: HashMap<(Option<String>, String), Vec<String>>,
    comments: HashMap<Place, Vec<&'a CommentView>>,
}

/// Capability, requirement, scenario, step.
type Place = [Option<String>; 4];

impl<'a> Commented<'a> {
    pub(super) fn new(meaning: &Meaning, all: &'a [CommentView]) -> Self {
        let mut comments: HashMap<&str, Vec<&CommentView>> = HashMap::new();
        for comment in all.iter().filter(|comment| comment.state != CommentState::Outdated) {
            if let Some(place) = &comment.place {
                comments.entry(place).or_default().push(comment);
            }
        }
        let mut commented = Self { marks: HashMap::new(), comments: HashMap::new() };
        for unit in meaning.units() {
            let mark = unit_mark(&unit);
            let Unit { place, .. } = unit;
            if let Some(said) = comments.get(place.label().as_str()) {
                let at = [&place.capability, &place.requirement, &place.scenario, &place.step];
                commented.comments.entry(at.map(Clone::clone)).or_default().extend(said);
            }
            if let Some(requirement) = place.requirement {
                commented.marks.entry((place.capability, requirement)).or_default().push(mark);
            }
        }
        commented
    }

    /// Whether a person has seen every piece of a requirement as it stands.
    pub(super) fn seen(&self, looks: &Looks, capability: Option<&str>, requirement: &str) -> bool {
        let marks = self.marks.get(&(capability.map(str::to_owned), requirement.to_owned()));
        marks.is_some_and(|marks| marks.iter().all(|mark| looks.has_seen(mark)))
    }
}

/// What was said about one piece.
pub(super) fn of_place(
    commented: &Commented<'_>,
    capability: Option<&str>,
    requirement: Option<&str>,
    scenario: Option<&str>,
    step: Option<&str>,
) -> Vec<CommentView> {
    if commented.comments.is_empty() {
        return Vec::new();
    }
    let place = [capability, requirement, scenario, step].map(|name| name.map(str::to_owned));
    let found = commented.comments.get(&place).into_iter().flatten();
    found.map(|comment| (*comment).clone()).collect()
}
