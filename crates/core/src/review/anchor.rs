//! What a comment is about, and how it is found again after the text has changed.
//!
//! A comment names a requirement, a scenario or a step, and may quote it. It is looked for by name, then by the name that
//! a delta says it has now, then by its quotation; what is found nowhere is outdated, and its old text is still shown.

use super::meaning::Meaning;
use super::units::{Unit, UnitPlace};
use crate::delta::DeltaDoc;
use crate::document::Document;

/// What a comment is about; all of the item when it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    pub capability: Option<String>,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    pub step: Option<String>,
    /// Words of the text that the comment is about.
    pub quote: Option<String>,
}

/// Where a comment belongs now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is about the item as a whole.
    Whole,
    /// Where it was made.
    Here(UnitPlace),
    /// Somewhere else, by a new name or by its quotation.
    Moved(UnitPlace),
    /// Its text is gone.
    Outdated,
}

impl Anchor {
    /// Whether it names any place.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// The place in words.
    pub fn label(&self) -> String {
        let mut words: Vec<String> = self.capability.iter().cloned().collect();
        words.extend(self.requirement.as_ref().map(|name| format!("Requirement {name}")));
        words.extend(self.scenario.as_ref().map(|name| format!("Scenario {name}")));
        words.extend(self.step.as_ref().map(|title| format!("Step {title}")));
        words.join(", ")
    }

    /// Looks for it in an item as it stands now.
    pub fn find(&self, meaning: &Meaning) -> Found {
        if self.is_whole() {
            return Found::Whole;
        }
        let units = meaning.units();
        if let Some(unit) = units.iter().find(|unit| self.names(unit) && self.is_quoted_in(unit)) {
            return Found::Here(unit.place.clone());
        }
        if let Some(renamed) = self.renamed(meaning)
            && let Some(unit) = units.iter().find(|unit| renamed.names(unit) && self.is_quoted_in(unit))
        {
            return Found::Moved(unit.place.clone());
        }
        // Without a quotation there is nothing left to know it by; with one, it has to be unmistakable.
        let Some(quote) = &self.quote else { return Found::Outdated };
        let quote = words(quote);
        let mut holding = units.iter().filter(|unit| words(&unit.text).contains(&quote));
        match (holding.next(), holding.next()) {
            (Some(unit), None) => Found::Moved(unit.place.clone()),
            _ => Found::Outdated,
        }
    }

    /// Whether a unit has every name that the anchor gives.
    fn names(&self, unit: &Unit) -> bool {
        let place = &unit.place;
        let is = |wanted: &Option<String>, has: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| has.as_ref().is_some_and(|has| same_name(wanted, has)))
        };
        // Without a scenario the requirement's own text is meant, unless only a quotation tells which part.
        let own = self.scenario.is_some() || self.quote.is_some() || place.scenario.is_none();
        is(&self.capability, &place.capability)
            && is(&self.requirement, &place.requirement)
            && is(&self.scenario, &place.scenario)
            && is(&self.step, &place.step)
            && own
    }

    fn is_quoted_in(&self, unit: &Unit) -> bool {
        self.quote.as_ref().is_none_or(|quote| words(&unit.text).contains(&words(quote)))
    }

    /// The same place under the name that a delta gives its requirement.
    fn renamed(&self, meaning: &Meaning) -> Option<Self> {
        let from = self.requirement.as_ref()?;
        let is_meant =
            |capability: &str| self.capability.as_deref().is_none_or(|wanted| wanted == capability);
        meaning.deltas.iter().filter(|(capability, _)| is_meant(capability)).find_map(|(_, text)| {
            let document = Document::parse(text);
            let delta = DeltaDoc::read(&document);
            let rename = delta.renamed.iter().find(|rename| same_name(rename.from, from))?;
            Some(Self { requirement: Some(rename.to.to_owned()), ..self.clone() })
        })
    }
}

fn same_name(a: &str, b: &str) -> bool {
    words(a).eq_ignore_ascii_case(&words(b))
}

/// A text on one line, however it was wrapped.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
