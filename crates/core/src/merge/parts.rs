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
    pub(super) name: &'t str,
    /// Which of those with this name it is.
    nth: usize,
    /// The id that it keeps whatever it is called, and which of those with this id it is.
    pin: Option<(&'t str, usize)>,
    pub(super) raw: &'t str,
    /// The blanks behind it.
    pub(super) gap: &'t str,
}

impl<'t> Parts<'t> {
    /// The parts of a requirement that was read from `text`.
    pub(super) fn of(text: &'t str, requirement: &Requirement<'t>) -> Self {
        let end = requirement.span.end;
        let first = requirement.scenarios.first().map_or(end, |scenario| scenario.span.start);
        let mut counts: HashMap<(bool, &str), usize> = HashMap::new();
        let mut count = |is_pin: bool, of: &'t str| {
            let count = counts.entry((is_pin, of)).or_insert(0);
            *count += 1;
            *count
        };
        let nexts = requirement.scenarios.iter().skip(1).map(|scenario| scenario.span.start).chain([end]);
        let scenarios = requirement.scenarios.iter().zip(nexts).map(|(scenario, next)| {
            let raw = text[scenario.span.start..next].trim_end();
            let gap = &text[scenario.span.start + raw.len()..next];
            let pin = scenario.pin().map(|pin| (pin, count(true, pin)));
            Part { name: scenario.name, nth: count(false, scenario.name), pin, raw, gap }
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

    /// The scenario here that is the same as one of `others`: the one with its id, else the one with its name, unless
    /// that belongs to another one by its id.
    pub(super) fn twin(&self, wanted: &Part<'_>, others: &Parts<'_>) -> Option<&Part<'t>> {
        let by_pin = wanted.pin.and_then(|pin| self.pinned(pin));
        by_pin.or_else(|| {
            let namesake =
                self.scenarios.iter().find(|part| part.name == wanted.name && part.nth == wanted.nth)?;
            let is_taken =
                wanted.pin.is_some() && namesake.pin.is_some_and(|pin| others.pinned(pin).is_some());
            (!is_taken).then_some(namesake)
        })
    }

    fn pinned(&self, pin: (&str, usize)) -> Option<&Part<'t>> {
        self.scenarios.iter().find(|part| part.pin == Some(pin))
    }

    /// Scenarios that the other does not have.
    pub(super) fn lost_in(&self, other: &Parts<'_>) -> Vec<&'t str> {
        self.scenarios.iter().filter(|part| other.twin(part, self).is_none()).map(|part| part.name).collect()
    }

    /// Scenarios of this one that the other lacks or has with other words.
    pub(super) fn differing_from(&self, other: &Parts<'_>) -> Vec<&'t str> {
        let differs = |part: &&Part<'t>| !other.twin(part, self).is_some_and(|theirs| theirs.says_as(part));
        self.scenarios.iter().filter(differs).map(|part| part.name).collect()
    }

    /// Whether both say the same, however they are written.
    pub(super) fn says_as(&self, other: &Parts<'_>) -> bool {
        let pairs = || self.scenarios.iter().zip(&other.scenarios);
        same_statement(self.text, other.text)
            && self.scenarios.len() == other.scenarios.len()
            && pairs().all(|(ours, theirs)| ours.is_called_as(theirs) && ours.says_as(theirs))
    }

    /// Whether both state the same above their scenarios.
    pub(super) fn states_as(&self, other: &Parts<'_>) -> bool {
        same_statement(self.text, other.text)
    }

    /// How many scenarios both have, by id or name.
    pub(super) fn shared_with(&self, other: &Parts<'_>) -> usize {
        self.scenarios.iter().filter(|part| other.twin(part, self).is_some()).count()
    }

    pub(super) fn scenario_count(&self) -> usize {
        self.scenarios.len()
    }

    /// Whether both are written the same.
    pub(super) fn same_as(&self, other: &Parts<'_>) -> bool {
        let pairs = || self.scenarios.iter().zip(&other.scenarios);
        same_words(self.text, other.text)
            && self.scenarios.len() == other.scenarios.len()
            && pairs().all(|(ours, theirs)| ours.is_called_as(theirs) && same_words(ours.raw, theirs.raw))
    }
}

impl Part<'_> {
    fn is_called_as(&self, other: &Part<'_>) -> bool {
        (self.name, self.nth) == (other.name, other.nth)
    }

    pub(super) fn says_as(&self, other: &Part<'_>) -> bool {
        same_scenario(self.raw, other.raw)
    }
}
