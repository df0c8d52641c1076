//! What a comment is about, and how it is found again after the text has changed.
//!
//! A comment names a requirement, a scenario or a step, and may quote it. It is looked for by name, then by the name that
//! a delta says it has now, then by its quotation; what is found nowhere is outdated, and its old text is still shown.

use schemars::JsonSchema;
use serde::Deserialize;

use super::meaning::Meaning;
use super::units::{Unit, UnitPlace};
use crate::delta::DeltaDoc;
use crate::document::Document;

/// What a comment is about; all of the item when it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Anchor {
    pub capability: Option<String>,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    /// Title
    pub step: Option<String>,
    /// Words it is about
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
    pub fn find(&self, index: &AnchorIndex) -> Found {
        if self.is_whole() {
            return Found::Whole;
        }
        let quote = self.quote.as_deref().map(words);
        let named = Names::of(self);
        let at = |names: &Names| {
            index.plots.iter().find(|plot| self.is_named(names, plot) && plot.holds(quote.as_deref()))
        };
        if let Some(plot) = at(&named) {
            return Found::Here(plot.place.clone());
        }
        if let Some(renamed) = index.renamed(self, &named)
            && let Some(plot) = at(&renamed)
        {
            return Found::Moved(plot.place.clone());
        }
        // Without a quotation there is nothing left to know it by; with one, it has to be unmistakable.
        if quote.is_none() {
            return Found::Outdated;
        }
        let mut holding = index.plots.iter().filter(|plot| plot.holds(quote.as_deref()));
        match (holding.next(), holding.next()) {
            (Some(plot), None) => Found::Moved(plot.place.clone()),
            _ => Found::Outdated,
        }
    }

    /// Whether a piece has every name that the anchor gives.
    fn is_named(&self, wanted: &Names, plot: &Plot) -> bool {
        let is = |wanted: &Option<String>, has: &Option<String>| wanted.is_none() || wanted == has;
        // Without a scenario the requirement's own text is meant, unless only a quotation tells which part.
        let own = self.scenario.is_some() || self.quote.is_some() || plot.names.scenario.is_none();
        is(&wanted.capability, &plot.names.capability)
            && is(&wanted.requirement, &plot.names.requirement)
            && is(&wanted.scenario, &plot.names.scenario)
            && is(&wanted.step, &plot.names.step)
            && own
    }
}

/// An item as it stands now, cut up once for all comments on it.
#[derive(Debug)]
pub struct AnchorIndex {
    plots: Vec<Plot>,
    renames: Vec<Rename>,
}

/// A requirement that a delta gives another name.
#[derive(Debug)]
struct Rename {
    capability: String,
    from: String,
    to: String,
}

/// One piece of an item, with its names and its text as they are compared.
#[derive(Debug)]
struct Plot {
    place: UnitPlace,
    names: Names,
    text: String,
}

/// The names of a place, however they were written.
#[derive(Debug, Clone)]
struct Names {
    capability: Option<String>,
    requirement: Option<String>,
    scenario: Option<String>,
    step: Option<String>,
}

impl AnchorIndex {
    pub fn of(meaning: &Meaning) -> Self {
        let renames = meaning.deltas.iter().flat_map(|(capability, text)| {
            let document = Document::parse(text);
            let rename = |from: &str, to: &str| Rename {
                capability: capability.clone(),
                from: name(from),
                to: name(to),
            };
            let delta = DeltaDoc::read(&document);
            delta.renamed.iter().map(|one| rename(one.from, one.to)).collect::<Vec<_>>()
        });
        Self { renames: renames.collect(), plots: meaning.units().into_iter().map(Plot::of).collect() }
    }

    /// The same place under the name that a delta gives its requirement.
    fn renamed(&self, anchor: &Anchor, named: &Names) -> Option<Names> {
        let from = named.requirement.as_ref()?;
        let is_meant =
            |rename: &&Rename| anchor.capability.as_ref().is_none_or(|wanted| *wanted == rename.capability);
        let rename = self.renames.iter().filter(is_meant).find(|rename| rename.from == *from)?;
        Some(Names { requirement: Some(rename.to.clone()), ..named.clone() })
    }
}

impl Plot {
    fn of(unit: Unit) -> Self {
        let Unit { place, text } = unit;
        let names = Names {
            capability: place.capability.as_deref().map(name),
            requirement: place.requirement.as_deref().map(name),
            scenario: place.scenario.as_deref().map(name),
            step: place.step.as_deref().map(name),
        };
        Self { text: words(&text), names, place }
    }

    fn holds(&self, quote: Option<&str>) -> bool {
        quote.is_none_or(|quote| self.text.contains(quote))
    }
}

impl Names {
    fn of(anchor: &Anchor) -> Self {
        Self {
            capability: anchor.capability.as_deref().map(name),
            requirement: anchor.requirement.as_deref().map(name),
            scenario: anchor.scenario.as_deref().map(name),
            step: anchor.step.as_deref().map(name),
        }
    }
}

/// A name as it is compared: blanks and the case of ASCII letters say nothing.
fn name(text: &str) -> String {
    words(text).to_ascii_lowercase()
}

/// A text on one line, however it was wrapped.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
