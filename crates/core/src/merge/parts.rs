//! A requirement in its parts, and how two of them compare: by what they say, or by how they are written.

use std::collections::HashMap;

use crate::document::Document;
use crate::requirement::{Requirement, SpecDoc, same_scenario, same_statement, same_words};

/// A requirement in its parts.
#[derive(Debug, Clone)]
pub(super) struct Parts<'t> {
    pub(super) heading: &'t str,
    /// Between the heading and the first scenario, as it stands.
    pub(super) text: &'t str,
    pub(super) scenarios: Vec<Part<'t>>,
}

/// A scenario.
#[derive(Debug, Clone)]
pub(super) struct Part<'t> {
    pub(super) key: Key<'t>,
    pub(super) raw: &'t str,
    /// The blanks behind it.
    pub(super) gap: &'t str,
}

/// A scenario's name, and which of those with this name it is.
pub(super) type Key<'t> = (&'t str, usize);

impl<'t> Parts<'t> {
    /// The parts of a requirement that was read from `text`.
    pub(super) fn of(text: &'t str, requirement: &Requirement<'t>) -> Self {
        let end = requirement.span.end;
        let first = requirement.scenarios.first().map_or(end, |scenario| scenario.span.start);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let nexts = requirement.scenarios.iter().skip(1).map(|scenario| scenario.span.start).chain([end]);
        let scenarios = requirement.scenarios.iter().zip(nexts).map(|(scenario, next)| {
            let count = counts.entry(scenario.name).or_insert(0);
            *count += 1;
            let raw = text[scenario.span.start..next].trim_end();
            let gap = &text[scenario.span.start + raw.len()..next];
            Part { key: (scenario.name, *count), raw, gap }
        });
        Self {
            heading: &text[requirement.heading.clone()],
            scenarios: scenarios.collect(),
            text: &text[requirement.heading.end..first],
        }
    }

    /// The parts of the first requirement in a text.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let document = Document::parse(text);
        SpecDoc::read(&document).requirements.first().map(|requirement| Self::of(text, requirement))
    }

    pub(super) fn get(&self, key: &Key<'_>) -> Option<&Part<'t>> {
        self.scenarios.iter().find(|part| part.key == *key)
    }

    /// Scenarios that the other does not have.
    pub(super) fn lost_in(&self, other: &Parts<'_>) -> Vec<&'t str> {
        self.scenarios.iter().filter(|part| other.get(&part.key).is_none()).map(|part| part.key.0).collect()
    }

    /// Scenarios of this one that the other lacks or has with other words.
    pub(super) fn differing_from(&self, other: &Parts<'_>) -> Vec<&'t str> {
        let differs = |part: &&Part<'t>| !other.get(&part.key).is_some_and(|theirs| theirs.says_as(part));
        self.scenarios.iter().filter(differs).map(|part| part.key.0).collect()
    }

    /// Whether both say the same, however they are written.
    pub(super) fn says_as(&self, other: &Parts<'_>) -> bool {
        let pairs = || self.scenarios.iter().zip(&other.scenarios);
        same_statement(self.text, other.text)
            && self.scenarios.len() == other.scenarios.len()
            && pairs().all(|(ours, theirs)| ours.key == theirs.key && ours.says_as(theirs))
    }

    /// Whether both state the same above their scenarios.
    pub(super) fn states_as(&self, other: &Parts<'_>) -> bool {
        same_statement(self.text, other.text)
    }

    /// How many scenarios both have, by name.
    pub(super) fn shared_with(&self, other: &Parts<'_>) -> usize {
        self.scenarios.iter().filter(|part| other.get(&part.key).is_some()).count()
    }

    pub(super) fn scenario_count(&self) -> usize {
        self.scenarios.len()
    }

    /// Whether both are written the same.
    pub(super) fn same_as(&self, other: &Parts<'_>) -> bool {
        let pairs = || self.scenarios.iter().zip(&other.scenarios);
        same_words(self.text, other.text)
            && self.scenarios.len() == other.scenarios.len()
            && pairs().all(|(ours, theirs)| ours.key == theirs.key && same_words(ours.raw, theirs.raw))
    }
}

impl Part<'_> {
    pub(super) fn says_as(&self, other: &Part<'_>) -> bool {
        same_scenario(self.raw, other.raw)
    }
}
