//! What a change does to one spec: requirements added, modified, removed and renamed.
//!
//! [`DeltaDoc::read`] gathers all sections of a kind, reads both rename notations and both ways to list removals, and
//! keeps what it could not make sense of ([`DeltaDoc::oddities`]) so that nothing is skipped in silence. Whether the
//! delta fits the spec is decided elsewhere.

pub mod edit;
mod lists;
mod render;
mod settle;

pub use render::{AddedScenarios, NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};
pub use settle::{Standing, Unclear};

use std::collections::HashMap;

use crate::document::{Document, Span};
use crate::outline::{Outline, OutlineHeading, is_blank};
use crate::requirement::{Purpose, Requirement, SpecDoc, read_requirements};

/// One of the four things that a delta can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    Added,
    Modified,
    Removed,
    Renamed,
}

/// A delta as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaDoc<'t> {
    /// Used when the spec does not exist yet.
    pub purpose: Option<Purpose<'t>>,
    pub added: Vec<Requirement<'t>>,
    pub modified: Vec<Requirement<'t>>,
    pub removed: Vec<Removal<'t>>,
    pub renamed: Vec<Rename<'t>>,
    /// The delta headings that are there, in their order.
    pub sections: Vec<DeltaSection>,
    /// What a delta should not hold.
    pub oddities: Vec<Oddity<'t>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaSection {
    pub operation: Operation,
    pub heading: Span,
    /// From the line after the heading to the next section.
    pub body: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal<'t> {
    pub name: &'t str,
    /// The heading or the bullet.
    pub span: Span,
    /// What stands below the heading (a reason, a migration); empty for a bullet.
    pub text: &'t str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename<'t> {
    pub from: &'t str,
    pub to: &'t str,
    pub notation: RenameNotation,
    /// Everything that says so.
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameNotation {
    /// A line `FROM:` and a line `TO:`.
    Lines,
    /// `### Requirement: Old → New`
    Arrow,
}

/// Something in a delta that will not be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Oddity<'t> {
    /// A level-3 heading in ADDED or MODIFIED that is no requirement, or one in RENAMED that names no second name.
    Heading { operation: Operation, title: &'t str, span: Span },
    /// A requirement outside the four sections.
    Outside { name: &'t str, section: Option<&'t str>, span: Span },
    /// A `FROM:` without `TO:`.
    FromAlone { name: &'t str, span: Span },
    /// A `TO:` without `FROM:`.
    ToAlone { name: &'t str, span: Span },
    /// A level-2 heading that names an operation but is none of the four.
    Section { title: &'t str, span: Span },
}

impl Operation {
    pub const ALL: [Self; 4] = [Self::Added, Self::Modified, Self::Removed, Self::Renamed];

    /// As it stands in a heading.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Removed => "REMOVED",
            Self::Renamed => "RENAMED",
        }
    }

    fn of(heading: &OutlineHeading<'_>) -> Option<Self> {
        Self::of_title(heading.title).filter(|_| heading.level == 2)
    }

    fn of_title(title: &str) -> Option<Self> {
        let (word, rest) = title.split_once(' ')?;
        let named = |operation: &Self| word.eq_ignore_ascii_case(operation.as_str());
        let operation = Self::ALL.into_iter().find(named)?;
        rest.eq_ignore_ascii_case("Requirements").then_some(operation)
    }
}

impl<'t> DeltaDoc<'t> {
    pub fn read(document: &Document<'t>) -> Self {
        Self::from_outline(&Outline::read(document))
    }

    pub(crate) fn from_outline(outline: &Outline<'t>) -> Self {
        let mut delta = Self {
            purpose: SpecDoc::purpose_of(outline),
            added: Vec::new(),
            modified: Vec::new(),
            removed: Vec::new(),
            renamed: Vec::new(),
            sections: sections(outline),
            oddities: Vec::new(),
        };
        for DeltaSection { operation, body, .. } in delta.sections.clone() {
            match operation {
                Operation::Added => delta.added.extend(read_requirements(outline, body.clone())),
                Operation::Modified => delta.modified.extend(read_requirements(outline, body.clone())),
                Operation::Removed => delta.removed.extend(lists::removals(outline, body.clone())),
                Operation::Renamed => {
                    lists::renames(outline, body.clone(), &mut delta.renamed, &mut delta.oddities);
                }
            }
            if matches!(operation, Operation::Added | Operation::Modified) {
                let foreign = headings_in(outline, &body)
                    .filter(|heading| heading.level == 3 && heading.requirement_name().is_none());
                delta.oddities.extend(foreign.map(|heading| Oddity::Heading {
                    operation,
                    title: heading.name(),
                    span: heading.span.clone(),
                }));
            }
        }
        delta.oddities.extend(outside(outline, &delta.sections));
        delta.oddities.sort_by_key(|oddity| oddity.span().start);
        delta
    }

    /// Whether nothing would be done.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.modified.is_empty()
            && self.removed.is_empty()
            && self.renamed.is_empty()
    }

    /// Every name that the delta speaks of, with its place.
    pub fn requirements(&self) -> impl Iterator<Item = (&'t str, Span)> {
        let blocks = self.added.iter().chain(&self.modified).map(|block| (block.name, block.heading.clone()));
        let removed = self.removed.iter().map(|removal| (removal.name, removal.span.clone()));
        let renamed = self.renamed.iter();
        let renamed =
            renamed.flat_map(|rename| [rename.from, rename.to].map(|name| (name, rename.span.clone())));
        blocks.chain(removed).chain(renamed)
    }

    /// The name that a requirement had before this delta's renames, following chains backwards.
    pub fn name_before(&self, name: &'t str) -> &'t str {
        if self.renamed.is_empty() {
            return name;
        }
        let mut name = name;
        // Of two renames to one name the first counts.
        let before: HashMap<&str, &'t str> =
            self.renamed.iter().rev().map(|rename| (rename.to, rename.from)).collect();
        // Each rename is followed once, so a circle ends.
        for _ in &self.renamed {
            match before.get(name) {
                Some(from) => name = from,
                None => break,
            }
        }
        name
    }
}

impl Oddity<'_> {
    pub fn span(&self) -> &Span {
        match self {
            Self::Heading { span, .. }
            | Self::Outside { span, .. }
            | Self::FromAlone { span, .. }
            | Self::ToAlone { span, .. }
            | Self::Section { span, .. } => span,
        }
    }
}

/// The headings of deltas in a text, which a spec should not have, however many blanks stand in them.
pub(crate) fn delta_headings<'o>(outline: &'o Outline<'_>) -> impl Iterator<Item = &'o Span> {
    let is_one = |heading: &&OutlineHeading<'_>| {
        let words: Vec<&str> = heading.title.split(is_blank).filter(|word| !word.is_empty()).collect();
        heading.level == 2 && Operation::of_title(&words.join(" ")).is_some()
    };
    outline.headings.iter().filter(is_one).map(|heading| &heading.span)
}

fn sections(outline: &Outline<'_>) -> Vec<DeltaSection> {
    let headings = outline.headings.iter().enumerate();
    headings
        .filter_map(|(index, heading)| {
            let operation = Operation::of(heading)?;
            let end = outline.end_after(index, |next| outline.ends_section(next));
            let body = heading.span.end.min(end)..end;
            Some(DeltaSection { operation, heading: heading.span.clone(), body })
        })
        .collect()
}

fn headings_in<'o, 't>(
    outline: &'o Outline<'t>,
    span: &Span,
) -> impl Iterator<Item = &'o OutlineHeading<'t>> {
    outline.headings_in(span).map(|(_, heading)| heading)
}

/// Requirements and headings that stand where no delta is read.
fn outside<'t>(outline: &Outline<'t>, sections: &[DeltaSection]) -> Vec<Oddity<'t>> {
    let mut found = Vec::new();
    let mut section = None;
    for heading in &outline.headings {
        if outline.ends_section(heading) {
            section = Some(heading.title);
            let names_one =
                Operation::ALL.iter().any(|operation| mentions(heading.title, operation.as_str()));
            if names_one && Operation::of(heading).is_none() {
                found.push(Oddity::Section { title: heading.name(), span: heading.span.clone() });
            }
        }
        let Some(name) = heading.requirement_name() else { continue };
        // Sections stand in their order, none inside another.
        let behind = sections.partition_point(|section| section.body.start <= heading.span.start);
        if behind == 0 || !sections[behind - 1].body.contains(&heading.span.start) {
            found.push(Oddity::Outside { name, section, span: heading.span.clone() });
        }
    }
    found
}

fn mentions(title: &str, word: &str) -> bool {
    title.split(|ch: char| !ch.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
