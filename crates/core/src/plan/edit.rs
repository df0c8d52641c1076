//! Changing a plan that people may have edited: each function touches what its name says and leaves the rest.
//!
//! Every new text is read again before it leaves, and must say what the old one said but for the change. Where a
//! bare text or the natural place would not do, the next best is tried; where nothing does, the plan stays as it is.

use super::field::{self, Field, Label};
use super::places::{Places, StepPlace};
use super::render::{approach as written_approach, bullet, kept, render_notes, render_step};
use super::text::{Form, WHITESPACE};
use super::{Plan, PlanStep, StepStatus, normalised};
use crate::document::front_matter::{EditError, FrontMatter, FrontMatterEdit, MissingBlock, Value};
use crate::document::{Document, EolStyle, Span};

/// The keys of a plan's front matter, in their order.
const KEYS: [&str; 4] = ["spec_id", "approach", "created_at", "updated_at"];

/// Why a plan was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanEditError {
    #[error("there is no step {index}: the plan has {total} steps, counted from 0")]
    NoSuchStep { index: usize, total: usize },
    #[error("the {0} cannot be changed without changing something else")]
    Unsafe(&'static str),
    #[error(transparent)]
    FrontMatter(#[from] EditError),
}

impl PlanEditError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoSuchStep { .. } => "read the plan to see its steps",
            Self::Unsafe(_) => "look for a code fence or a comment in the plan that is not closed",
            Self::FrontMatter(error) => error.hint(),
        }
    }
}

/// Completes a step. Given notes replace the old ones; without any the old ones stay.
pub fn complete_step(
    source: &str,
    index: usize,
    notes: Option<&str>,
    updated_at: &str,
) -> Result<String, PlanEditError> {
    let document = Document::parse(source);
    let places = Places::of(&document);
    let Some(place) = places.steps.get(index) else {
        return Err(PlanEditError::NoSuchStep { index, total: places.steps.len() });
    };
    let notes = notes.map(normalised).filter(|notes| !notes.is_empty());
    let (mut expected, _) = Plan::read(source);
    let step = &mut expected.steps[index];
    step.status = StepStatus::Completed;
    step.notes = notes.clone().or_else(|| step.notes.take());

    let attempts = [
        (None, Spot::End),
        (None, Spot::Top),
        (Some(Form::Quoted), Spot::End),
        (Some(Form::Quoted), Spot::Top),
    ];
    let tries = attempts.into_iter().map(|(form, spot)| {
        let pieces = StepEdit { source, document: &document, place, form, spot }.pieces(notes.as_deref());
        splice(source, pieces)
    });
    touch(&first_that_says(tries, &expected, "step")?, updated_at)
}

/// Replaces all steps. A step that is there already keeps the lines it has, whatever a person made of them.
pub fn replace_steps(source: &str, steps: &[PlanStep]) -> Result<String, PlanEditError> {
    let document = Document::parse(source);
    let places = Places::of(&document);
    let (mut expected, _) = Plan::read(source);
    let old = std::mem::replace(&mut expected.steps, kept(steps));
    let attempts = [(None, Reuse::Lines), (None, Reuse::Nothing), (Some(Form::Quoted), Reuse::Nothing)];
    let tries = attempts.into_iter().map(|(form, reuse)| {
        let sections = expected.steps.iter().enumerate().map(|(index, step)| {
            let twin = old.iter().position(|old| PlanStep { index, ..old.clone() } == *step);
            match twin.filter(|_| reuse == Reuse::Lines) {
                Some(at) => renumbered(source, &places.steps[at], index),
                None => EolStyle::of(source).applied_to(&render_step(step, index, form)),
            }
        });
        place_steps(source, &places, &sections.collect::<Vec<_>>())
    });
    first_that_says(tries, &expected, "list of steps")
}

/// Replaces the approach, and the front matter's copy where there is one.
pub fn set_approach(source: &str, approach: &str) -> Result<String, PlanEditError> {
    let approach = normalised(approach);
    let document = Document::parse(source);
    let places = Places::of(&document);
    let (mut expected, _) = Plan::read(source);
    expected.approach.clone_from(&approach);
    let front = document.front_matter().map(|block| FrontMatter::read(source, block)).unwrap_or_default();
    let has_copy = front.get("approach").is_some();
    let tries = [None, Some(Form::Quoted)].into_iter().map(|form| {
        let lines = EolStyle::of(source).applied_to(&written_approach(&approach, form));
        match &places.approach {
            Some(body) => splice(source, vec![approach_piece(source, body, &lines)]),
            None if has_copy => source.to_owned(),
            None => add_approach(source, &places, &lines),
        }
    });
    if !has_copy {
        return first_that_says(tries, &expected, "approach");
    }
    let copy = FrontMatterEdit::new(MissingBlock::Refuse).set("approach", Value::Text(approach.clone()));
    let edited = tries.map(|text| copy.apply(&text)).collect::<Result<Vec<_>, _>>()?;
    first_that_says(edited.into_iter(), &expected, "approach")
}

/// Sets the moment of the last change, where the plan has a front matter.
pub fn touch(source: &str, updated_at: &str) -> Result<String, PlanEditError> {
    if Document::parse(source).front_matter().is_none() {
        return Ok(source.to_owned());
    }
    let edit = FrontMatterEdit::new(MissingBlock::Refuse).in_order(&KEYS);
    Ok(edit.set("updated_at", Value::Timestamp(updated_at.to_owned())).apply(source)?)
}

fn first_that_says(
    mut tries: impl Iterator<Item = String>,
    expected: &Plan,
    what: &'static str,
) -> Result<String, PlanEditError> {
    tries.find(|text| Plan::read(text).0 == *expected).ok_or(PlanEditError::Unsafe(what))
}

/// Where bullets go in a step that has none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// Behind everything else, as new plans have them.
    End,
    /// Right below the heading.
    Top,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reuse {
    Lines,
    Nothing,
}

struct StepEdit<'e> {
    source: &'e str,
    document: &'e Document<'e>,
    place: &'e StepPlace,
    form: Option<Form>,
    spot: Spot,
}

impl StepEdit<'_> {
    fn pieces(&self, notes: Option<&str>) -> Vec<(Span, String)> {
        let eol = EolStyle::of(self.source);
        let mut pieces = Vec::new();
        let mut bullets = String::new();
        let lead = self.place.fields.first().map_or("- ", |field| field.lead.as_str());
        match self.place.field(Label::Status) {
            None => bullets.push_str(&bullet(lead, Label::Status, StepStatus::Completed.as_str())),
            // What says so already may say it in a person's words.
            Some(field) if self.is_completed(field) => {}
            Some(field) => pieces.push((field.value.clone(), format!(" {}", StepStatus::Completed))),
        }
        match (self.place.field(Label::Notes), notes) {
            (_, None) => {}
            (Some(field), Some(notes)) => {
                let lines = render_notes(&field.lead, notes, self.form);
                pieces.push((field.span.clone(), eol.applied_to(lines.trim_end_matches('\n'))));
            }
            (None, Some(notes)) => bullets.push_str(&render_notes(lead, notes, self.form)),
        }
        if !bullets.is_empty() {
            pieces.push(self.insertion(&eol.applied_to(&bullets), eol.as_str()));
        }
        // Bullets that are inserted before a note stand before what replaces it.
        pieces.sort_by_key(|(span, _)| (span.start, span.end));
        pieces
    }

    fn is_completed(&self, field: &Field) -> bool {
        field::status(self.document.slice(field.value.clone())) == Some(StepStatus::Completed)
    }

    /// Where new bullets go: behind the status or the complexity, before the notes, else where `spot` says.
    fn insertion(&self, bullets: &str, eol: &str) -> (Span, String) {
        let source = self.source;
        let before = self.place.field(Label::Status).or_else(|| self.place.field(Label::Complexity));
        if let Some(field) = before {
            return at_line(source, next_line(source, field.span.end), bullets.to_owned(), eol);
        }
        if let Some(field) = self.place.field(Label::Notes) {
            return at_line(source, field.span.start, bullets.to_owned(), eol);
        }
        let body = &source[self.place.body.clone()];
        let is_blank = body.trim_matches(WHITESPACE).is_empty();
        match self.spot {
            _ if is_blank => at_line(source, self.place.body.start, bullets.to_owned(), eol),
            Spot::Top => at_line(source, self.place.body.start, format!("{bullets}{eol}"), eol),
            Spot::End => {
                let end = self.place.body.start + body.trim_end_matches(WHITESPACE).len();
                at_line(source, next_line(source, end), format!("{eol}{bullets}"), eol)
            }
        }
    }
}

/// Lines to be inserted at the start of a line, or behind a last line that has no end.
fn at_line(source: &str, at: usize, lines: String, eol: &str) -> (Span, String) {
    let starts_line = source[..at].is_empty() || source[..at].ends_with('\n');
    (at..at, if starts_line { lines } else { format!("{eol}{lines}") })
}

/// The section of a step as it stands, with another number.
fn renumbered(source: &str, place: &StepPlace, index: usize) -> String {
    let end = place.span.start + source[place.span.clone()].trim_end_matches(WHITESPACE).len();
    let mut section = source[place.span.start..end].to_owned();
    if let Some((_, digits)) = &place.number {
        section.replace_range(
            digits.start - place.span.start..digits.end - place.span.start,
            &(index + 1).to_string(),
        );
    }
    section.push_str(EolStyle::of(source).as_str());
    section
}

/// The text with new sections in the place of the old steps.
fn place_steps(source: &str, places: &Places, sections: &[String]) -> String {
    let eol = EolStyle::of(source).as_str();
    let joined = sections.join(eol);
    let Some((first, others)) = places.steps.split_first() else {
        if sections.is_empty() {
            return source.to_owned();
        }
        let heading =
            if places.steps_section.is_some() { String::new() } else { format!("## Steps{eol}{eol}") };
        let end = places.steps_section.as_ref().map_or(source.len(), |span| span.end);
        let content_end = next_line(source, source[..end].trim_end_matches(WHITESPACE).len());
        let gap = if source[..content_end].trim_matches(WHITESPACE).is_empty() { "" } else { eol };
        let lines = format!("{gap}{heading}{joined}");
        return splice(source, vec![at_line(source, content_end, lines, eol)]);
    };
    // Other sections between the steps stay where they are, and so do the blank lines before them.
    let lines_of = |place: &StepPlace| {
        let content_end = place.span.start + source[place.span.clone()].trim_end_matches(WHITESPACE).len();
        let is_followed = places.steps.iter().any(|other| other.span.start == place.span.end);
        let end =
            if is_followed { place.span.end } else { next_line(source, content_end).min(place.span.end) };
        place.span.start..end
    };
    let removed = others.iter().map(|place| (lines_of(place), String::new()));
    splice(source, std::iter::once((lines_of(first), joined)).chain(removed).collect())
}

/// Replaces the text between the blank lines at the start and the end of the approach's section.
fn approach_piece(source: &str, body: &Span, lines: &str) -> (Span, String) {
    let eol = EolStyle::of(source).as_str();
    let old = &source[body.clone()];
    if old.trim_matches(WHITESPACE).is_empty() {
        let follows = if body.end < source.len() { eol } else { "" };
        let (at, lines) = at_line(source, body.start, format!("{eol}{lines}{eol}{follows}"), eol);
        return (at.start..body.end, lines);
    }
    let indented = old.len() - old.trim_start_matches(WHITESPACE).len();
    let start = old[..indented].rfind('\n').map_or(0, |at| at + 1);
    (body.start + start..body.start + old.trim_end_matches(WHITESPACE).len(), lines.to_owned())
}

fn add_approach(source: &str, places: &Places, lines: &str) -> String {
    let eol = EolStyle::of(source).as_str();
    let steps = places.steps_section.as_ref().or_else(|| places.steps.first().map(|place| &place.span));
    let section = format!("## Approach{eol}{eol}{lines}{eol}");
    let piece = if let Some(span) = steps {
        at_line(source, span.start, format!("{section}{eol}"), eol)
    } else {
        let end = next_line(source, source.trim_end_matches(WHITESPACE).len());
        let gap = if source[..end].trim_matches(WHITESPACE).is_empty() { "" } else { eol };
        at_line(source, end, format!("{gap}{section}"), eol)
    };
    splice(source, vec![piece])
}

/// The start of the line after the one that holds `offset`.
fn next_line(source: &str, offset: usize) -> usize {
    source[offset..].find('\n').map_or(source.len(), |at| offset + at + 1)
}

/// The source with pieces replaced; they stand in their order and do not overlap.
fn splice(source: &str, pieces: Vec<(Span, String)>) -> String {
    let mut out =
        String::with_capacity(source.len() + pieces.iter().map(|(_, piece)| piece.len()).sum::<usize>());
    let mut at = 0;
    for (span, piece) in pieces {
        out.push_str(&source[at..span.start.max(at)]);
        out.push_str(&piece);
        at = span.end.max(at);
    }
    out.push_str(&source[at..]);
    out
}
