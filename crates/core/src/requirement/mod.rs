//! What a spec promises: its purpose, its requirements and their scenarios, each with its place in the text.
//!
//! [`SpecDoc::read`] takes every requirement that a person would see, wherever it stands; whether it may stand
//! there is for the rules to say. Reading never fails and never changes a byte. The clauses of a scenario are read
//! when they are asked for ([`Scenario::clauses`]).

mod alike;
mod clauses;
mod lookup;
mod steps;
mod text;

use std::borrow::Cow;

pub(crate) use alike::{same_scenario, same_statement, same_words};
pub use clauses::Clauses;
pub(crate) use lookup::pinned_id;
pub use lookup::{Match, find_requirement, find_scenario, requirement_ids, scenario_ids, unlabelled};
pub use steps::{Keyword, Step, steps_in};

use crate::document::{Document, Span};
use crate::outline::{Grammar, HeadingShape, Outline, OutlineHeading, strip_label};

/// A spec as its requirements tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecDoc<'t> {
    /// The first level-1 heading.
    pub title: Option<&'t str>,
    pub purpose: Option<Purpose<'t>>,
    /// The heading `## Requirements`.
    pub requirements_heading: Option<Span>,
    /// What belongs to that heading, from the line after it to the next section.
    pub requirements_body: Option<Span>,
    pub requirements: Vec<Requirement<'t>>,
}

/// The section `## Purpose`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose<'t> {
    pub heading: Span,
    /// Everything below the heading, subsections included.
    pub body: Span,
    /// The body's lines on one line, without code and comments.
    pub text: Cow<'t, str>,
}

/// One `### Requirement: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement<'t> {
    /// As it stands in the heading.
    pub name: &'t str,
    /// A slug of the name that no other requirement of the spec has.
    pub id: String,
    pub heading: Span,
    /// The heading, its text and its scenarios; ends before the blank lines that follow, and before a heading of
    /// rank 1 to 3 that is no requirement.
    pub span: Span,
    /// The bytes of `span`.
    pub raw: &'t str,
    /// What a heading of rank 3 that is no requirement carries along behind this one; empty in a tidy spec.
    pub foreign: Span,
    /// Between the heading and the first heading below it.
    pub body: Span,
    /// The body's lines on one line, without code, comments and (where there is more) `**Key**:` lines.
    pub text: Cow<'t, str>,
    pub scenarios: Vec<Scenario<'t>>,
    pub place: RequirementPlace,
    pub(crate) shape: HeadingShape,
}

/// Where a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequirementPlace {
    /// In the first `## Requirements`.
    Inside,
    Elsewhere,
}

/// A level-4 heading below a requirement, with what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario<'t> {
    /// The heading without `Scenario:`.
    pub name: &'t str,
    pub label: Label,
    pub heading: Span,
    /// Heading and body, without the blank lines that follow.
    pub span: Span,
    /// The bytes of `span`.
    pub raw: &'t str,
    pub body: Span,
}

/// Whether a scenario calls itself one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Scenario,
    /// Any other level-4 heading. OpenSpec takes it for a scenario, so it must not get lost either.
    Bare,
}

impl<'t> SpecDoc<'t> {
    pub fn read(document: &Document<'t>) -> Self {
        Self::from_outline(&Outline::read(document))
    }

    /// How many requirements [`SpecDoc::read`] finds in a text, for a fraction of the work where the lines alone can tell.
    pub fn count(text: &str) -> usize {
        let by_lines = Outline::by_lines(text);
        let outline = if by_lines.is_plain { by_lines } else { Outline::read(&Document::parse(text)) };
        outline.headings.iter().filter(|heading| heading.requirement_name().is_some()).count()
    }

    pub(crate) fn from_outline(outline: &Outline<'t>) -> Self {
        let headings = &outline.headings;
        let section = headings.iter().position(|heading| heading.is(2, "Requirements"));
        let requirements_body = section.map(|index| {
            text::after_line(outline.text, headings[index].span.end)
                ..outline.end_after(index, |next| outline.ends_section(next))
        });
        let mut requirements = read_requirements(outline, 0..outline.text.len());
        for requirement in &mut requirements {
            let inside =
                requirements_body.as_ref().is_some_and(|body| body.contains(&requirement.heading.start));
            requirement.place = if inside { RequirementPlace::Inside } else { RequirementPlace::Elsewhere };
        }
        lookup::number(&mut requirements);
        Self {
            title: headings.iter().find(|heading| heading.level == 1).map(OutlineHeading::name),
            purpose: Self::purpose_of(outline),
            requirements_heading: section.map(|index| headings[index].span.clone()),
            requirements_body,
            requirements,
        }
    }
}

impl<'t> SpecDoc<'t> {
    pub(crate) fn purpose_of(outline: &Outline<'t>) -> Option<Purpose<'t>> {
        let index = outline.headings.iter().position(|heading| heading.is(2, "Purpose"))?;
        let heading = outline.headings[index].span.clone();
        let start = text::after_line(outline.text, heading.end);
        let body = start..outline.end_after(index, |next| outline.ends_section(next)).max(start);
        Some(Purpose { heading, text: text::joined(outline, body.clone()), body })
    }
}

impl<'t> Requirement<'t> {
    /// The first scenario with this name.
    pub fn scenario(&self, name: &str) -> Option<&Scenario<'t>> {
        self.scenarios.iter().find(|scenario| scenario.name == name)
    }

    /// The id that stands below its heading.
    pub fn pin(&self) -> Option<&'t str> {
        lookup::pin_below(self.raw)
    }

    /// Whether another requirement has fewer scenarios of this name than stand here up to the n-th.
    pub(crate) fn is_beyond(&self, nth: usize, other: &Requirement<'_>) -> bool {
        let name = self.scenarios[nth].name;
        if self.scenarios[nth].is_pinned_in(other) {
            return false;
        }
        let count = |scenarios: &[Scenario<'_>]| scenarios.iter().filter(|one| one.name == name).count();
        count(&self.scenarios[..=nth]) > count(&other.scenarios)
    }

    /// The requirement with everything that follows it up to the next one.
    pub fn whole(&self) -> Span {
        self.span.start..self.foreign.end.max(self.span.end)
    }
}

impl<'t> Scenario<'t> {
    /// The id that stands below its heading.
    pub fn pin(&self) -> Option<&'t str> {
        lookup::pin_below(self.raw)
    }

    /// Whether a requirement has a scenario with the same id, whatever that is called.
    pub(crate) fn is_pinned_in(&self, other: &Requirement<'_>) -> bool {
        self.pin().is_some_and(|pin| other.scenarios.iter().any(|one| one.pin() == Some(pin)))
    }
}

/// Every requirement whose heading stands within a span.
pub(crate) fn read_requirements<'t>(outline: &Outline<'t>, within: Span) -> Vec<Requirement<'t>> {
    outline
        .headings_in(&within)
        .filter_map(|(index, heading)| {
            let name = heading.requirement_name()?;
            let end = outline
                .end_after(index, |next| next.requirement_name().is_some() || outline.ends_section(next));
            let own_end = match outline.grammar {
                Grammar::CommonMark => outline.end_after(index, |next| next.level <= 3).min(end),
                // To OpenSpec whatever follows belongs to the requirement.
                Grammar::OpenSpec => end,
            };
            Some(read_requirement(outline, index, name, own_end, end.min(within.end)))
        })
        .collect()
}

fn read_requirement<'t>(
    outline: &Outline<'t>,
    index: usize,
    name: &'t str,
    own_end: usize,
    end: usize,
) -> Requirement<'t> {
    let heading = &outline.headings[index];
    let own_end = own_end.min(end);
    let span = text::trimmed_end(outline.text, heading.span.start..own_end);
    let below = outline.headings.iter().enumerate().skip(index + 1);
    let below = below.take_while(|(_, next)| next.span.start < own_end);
    let scenarios: Vec<_> = below
        .filter(|(_, next)| next.level == 4)
        .map(|(scenario, _)| read_scenario(outline, scenario, own_end))
        .collect();
    let body_start = text::after_line(outline.text, heading.span.end).min(own_end);
    let body = body_start..outline.end_after(index, |_| true).clamp(body_start, own_end);
    Requirement {
        name,
        id: String::new(),
        heading: heading.span.clone(),
        raw: &outline.text[span.clone()],
        foreign: text::trimmed_end(outline.text, own_end..end),
        text: text::statement(outline, body.clone()),
        body,
        scenarios,
        place: RequirementPlace::Inside,
        shape: heading.shape,
        span,
    }
}

fn read_scenario<'t>(outline: &Outline<'t>, index: usize, own_end: usize) -> Scenario<'t> {
    let heading = &outline.headings[index];
    let end = outline.end_after(index, |next| next.level <= 4).min(own_end);
    let span = text::trimmed_end(outline.text, heading.span.start..end);
    let title = heading.name();
    let (label, name) = match strip_label(title, "Scenario:") {
        Some(name) => (Label::Scenario, name),
        None => (Label::Bare, title),
    };
    let body = text::after_line(outline.text, heading.span.end).min(end)..end;
    Scenario { name, label, heading: heading.span.clone(), raw: &outline.text[span.clone()], span, body }
}

#[cfg(test)]
mod tests;
