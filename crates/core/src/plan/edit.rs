//! Changing a plan that people may have edited: each function touches what its name says and leaves the rest.
//!
//! Every new text is read again before it leaves, and must say what the old one said but for the change. Where a
//! bare text or the natural place would not do, the next best is tried; where nothing does, the plan stays as it is.

use super::field::{self, Field, Label};
use super::places::{Places, StepPlace};
use super::render::{approach as written_approach, bullet, render_notes};
use super::text::{Form, WHITESPACE};
use super::{Plan, StepStatus, normalised};
use crate::document::front_matter::{EditError, FrontMatter, FrontMatterEdit, MissingBlock, Value};
use crate::document::{Document, EolStyle, Span};
use crate::tasks::edit::reopened_notes;

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
    set_step(source, index, StepStatus::Completed, notes, updated_at)
}

/// Opens a step again and writes down why, below the notes it has.
pub fn reopen_step(
    source: &str,
    index: usize,
    reason: &str,
    updated_at: &str,
) -> Result<String, PlanEditError> {
    let (plan, _) = Plan::read(source);
    let total = plan.steps.len();
    let step = plan.steps.get(index).ok_or(PlanEditError::NoSuchStep { index, total })?;
    let notes = reopened_notes(step.notes.as_deref(), reason);
    set_step(source, index, StepStatus::Pending, Some(&notes), updated_at)
}

fn set_step(
    source: &str,
    index: usize,
    status: StepStatus,
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
    step.status = status;
    step.notes = notes.clone().or_else(|| step.notes.take());

    let attempts = [
        (None, Spot::End),
        (None, Spot::Top),
        (Some(Form::Quoted), Spot::End),
        (Some(Form::Quoted), Spot::Top),
    ];
    let tries = attempts.into_iter().map(|(form, spot)| {
        let pieces =
            StepEdit { source, document: &document, place, status, form, spot }.pieces(notes.as_deref());
        splice(source, pieces)
    });
    touch(&first_that_says(tries, &expected, "step")?, updated_at)
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

pub(super) fn first_that_says(
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

struct StepEdit<'e> {
    source: &'e str,
    document: &'e Document<'e>,
    place: &'e StepPlace,
    status: StepStatus,
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
            None => bullets.push_str(&bullet(lead, Label::Status, self.status.as_str())),
            // What says so already may say it in a person's words.
            Some(field) if self.is_said(field) => {}
            Some(field) => pieces.push((field.value.clone(), format!(" {}", self.status))),
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

    fn is_said(&self, field: &Field) -> bool {
        field::status(self.document.slice(field.value.clone())) == Some(self.status)
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
pub(super) fn at_line(source: &str, at: usize, lines: String, eol: &str) -> (Span, String) {
    let starts_line = source[..at].is_empty() || source[..at].ends_with('\n');
    (at..at, if starts_line { lines } else { format!("{eol}{lines}") })
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
pub(super) fn next_line(source: &str, offset: usize) -> usize {
    source[offset..].find('\n').map_or(source.len(), |at| offset + at + 1)
}

/// The source with pieces replaced; they stand in their order and do not overlap.
pub(super) fn splice(source: &str, pieces: Vec<(Span, String)>) -> String {
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
