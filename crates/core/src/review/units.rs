//! A meaning cut into pieces that people talk about: requirements, scenarios, steps, sections.
//!
//! Every line of a meaning is in exactly one unit, so what is compared or shown unit by unit leaves nothing out but the
//! headings that every plan has.

use super::meaning::{Meaning, Step};
use crate::document::Document;
use crate::outline::{Outline, strip_label};

/// Which text of an item a unit is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Proposal,
    Design,
    Delta,
    /// Category and dependencies.
    Facts,
    Approach,
    Step,
    /// Headings and prose round the steps.
    Plan,
    /// What a front matter says beyond what is read from it.
    Front,
}

/// The headings of a plan and of a task list as they are written; alone they say nothing.
const BARE: [&str; 4] = ["# Implementation Plan", "## Approach", "## Steps", "# Tasks"];

/// What a unit is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitPlace {
    pub part: Part,
    pub capability: Option<String>,
    /// The section of a delta, such as `ADDED Requirements`; elsewhere any other heading.
    pub section: Option<String>,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    pub step: Option<String>,
}

/// One piece of a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub place: UnitPlace,
    /// Its lines, the heading included.
    pub text: String,
}

impl UnitPlace {
    pub(super) fn of(part: Part) -> Self {
        Self { part, capability: None, section: None, requirement: None, scenario: None, step: None }
    }

    /// The place in words.
    pub fn label(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        match self.part {
            Part::Proposal if self.requirement.is_none() => words.push("Proposal".to_owned()),
            Part::Design => words.push("Design".to_owned()),
            Part::Delta => words.extend(self.capability.clone()),
            Part::Facts => words.push("Category and dependencies".to_owned()),
            Part::Approach => words.push("Approach".to_owned()),
            Part::Plan => words.push("Plan".to_owned()),
            Part::Front => words.push("Front matter".to_owned()),
            Part::Proposal | Part::Step => {}
        }
        words.extend(self.section.as_ref().filter(|_| self.requirement.is_none()).cloned());
        if let Some(name) = &self.requirement {
            let operation = self.section.as_deref().and_then(|section| section.strip_suffix(" Requirements"));
            let operation = operation.filter(|_| self.part == Part::Delta);
            words.push(match operation {
                Some(operation) => format!("Requirement {name} ({operation})"),
                None => format!("Requirement {name}"),
            });
        }
        words.extend(self.scenario.as_ref().map(|name| format!("Scenario {name}")));
        words.extend(self.step.as_ref().map(|title| format!("Step {title}")));
        words.join(", ")
    }
}

impl Meaning {
    /// All of it, in order.
    pub fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        document(&mut units, &UnitPlace::of(Part::Proposal), &self.proposal);
        if self.category.is_some() || !self.dependencies.is_empty() {
            let needs = self.dependencies.iter().map(|one| format!("{} ({})", one.on, one.kind));
            let text: Vec<String> = self.category.iter().cloned().chain(needs).collect();
            units.push(Unit { place: UnitPlace::of(Part::Facts), text: text.join("\n") });
        }
        for (capability, text) in &self.deltas {
            let place = UnitPlace { capability: Some(capability.clone()), ..UnitPlace::of(Part::Delta) };
            document(&mut units, &place, text);
        }
        document(&mut units, &UnitPlace::of(Part::Design), &self.design);
        if !self.approach.is_empty() {
            units.push(Unit { place: UnitPlace::of(Part::Approach), text: self.approach.clone() });
        }
        for (at, text) in self.around.iter().enumerate() {
            let before = units.len();
            document(&mut units, &UnitPlace::of(Part::Plan), text);
            let bare = units.split_off(before).into_iter().filter(|unit| !BARE.contains(&unit.text.as_str()));
            units.extend(bare.collect::<Vec<_>>());
            units.extend(self.steps.get(at).map(unit_of_step));
        }
        for (name, text) in &self.front {
            let place = UnitPlace { section: Some(name.clone()), ..UnitPlace::of(Part::Front) };
            push(&mut units, place, text);
        }
        units
    }
}

fn unit_of_step(step: &Step) -> Unit {
    let place = UnitPlace { step: Some(step.title.clone()), ..UnitPlace::of(Part::Step) };
    Unit { place, text: step.description.clone() }
}

/// Cuts a text at its headings.
fn document(units: &mut Vec<Unit>, within: &UnitPlace, text: &str) {
    let document = Document::parse(text);
    let outline = Outline::read(&document);
    let first = outline.headings.first().map_or(text.len(), |heading| heading.span.start);
    push(units, within.clone(), &text[..first]);
    let mut place = within.clone();
    for (index, heading) in outline.headings.iter().enumerate() {
        let end = outline.headings.get(index + 1).map_or(text.len(), |next| next.span.start);
        let body = text[heading.span.start..end].trim();
        // Headings below scenarios are part of them.
        if heading.level > 4
            && let Some(last) = units.last_mut().filter(|last| last.place == place)
        {
            last.text.push('\n');
            last.text.push_str(body);
            continue;
        }
        let (requirement, scenario) = match heading.level {
            4 if place.requirement.is_some() => {
                let name = strip_label(heading.title, "Scenario:").unwrap_or(heading.title);
                (place.requirement.take(), Some(name.to_owned()))
            }
            _ => (heading.requirement_name().map(str::to_owned), None),
        };
        place = UnitPlace {
            // A requirement belongs to the section it stands in; anything else opens its own.
            section: match &requirement {
                Some(_) => place.section.take(),
                None => Some(heading.title.to_owned()),
            },
            requirement,
            scenario,
            ..within.clone()
        };
        units.push(Unit { place: place.clone(), text: body.to_owned() });
    }
}

fn push(units: &mut Vec<Unit>, place: UnitPlace, text: &str) {
    if !text.trim().is_empty() {
        units.push(Unit { place, text: text.trim().to_owned() });
    }
}
