//! Replacing the steps of a plan: they come, go and move; what a person wrote beside them stays.

use super::edit::{PlanEditError, at_line, first_that_says, next_line, splice};
use super::places::{Places, StepPlace};
use super::render::{kept, render_step};
use super::text::{Form, WHITESPACE};
use super::{Plan, PlanStep};
use crate::document::{Document, EolStyle, Span};
use crate::order::in_place;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reuse {
    Lines,
    Nothing,
}

/// A step as it is to be written, and the old one whose lines it takes up.
struct NewSection {
    from: Option<usize>,
    lines: String,
}

/// Replaces all steps. A step that is there already keeps the lines it has, whatever a person made of them.
pub fn replace_steps(source: &str, steps: &[PlanStep]) -> Result<String, PlanEditError> {
    let document = Document::parse(source);
    let places = Places::of(&document);
    let (mut expected, _) = Plan::read(source);
    let old = std::mem::replace(&mut expected.steps, kept(steps));
    let attempts = [(None, Reuse::Lines), (None, Reuse::Nothing), (Some(Form::Quoted), Reuse::Nothing)];
    // Steps with nothing of a person between them are written as one run.
    let is_one_run = places.steps.windows(2).all(|two| two[0].span.end == two[1].span.start);
    let mut tries: Vec<String> = Vec::new();
    for (form, reuse) in attempts {
        let mut free = vec![true; old.len()];
        let sections: Vec<NewSection> = expected
            .steps
            .iter()
            .enumerate()
            .map(|(index, step)| {
                let is_twin = |at: &usize| free[*at] && PlanStep { index, ..old[*at].clone() } == *step;
                let twin = (0..old.len()).find(is_twin).filter(|_| reuse == Reuse::Lines);
                if let Some(at) = twin {
                    free[at] = false;
                    NewSection { from: Some(at), lines: renumbered(source, &places.steps[at], index) }
                } else {
                    let lines = EolStyle::of(source).applied_to(&render_step(step, index, form));
                    NewSection { from: None, lines }
                }
            })
            .collect();
        if reuse == Reuse::Lines && !is_one_run {
            tries.push(move_steps(source, &places, &sections));
            tries.push(exchange_steps(source, &places, &sections));
        }
        tries.push(place_steps(source, &places, &sections));
    }
    first_that_says(tries.into_iter(), &expected, "list of steps")
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
fn place_steps(source: &str, places: &Places, sections: &[NewSection]) -> String {
    let eol = EolStyle::of(source).as_str();
    let joined = sections.iter().map(|section| section.lines.as_str()).collect::<Vec<_>>().join(eol);
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
    let removed = others.iter().map(|place| (lines_of(source, places, place), String::new()));
    splice(source, std::iter::once((lines_of(source, places, first), joined)).chain(removed).collect())
}

/// The lines of a step. Other sections between the steps stay where they are, and so do the blank lines before them.
fn lines_of(source: &str, places: &Places, place: &StepPlace) -> Span {
    let content_end = place.span.start + source[place.span.clone()].trim_end_matches(WHITESPACE).len();
    let is_followed = places.steps.iter().any(|other| other.span.start == place.span.end);
    let end = if is_followed { place.span.end } else { next_line(source, content_end).min(place.span.end) };
    place.span.start..end
}

/// The text with the new steps in the places of the old ones, one after the other; what is over comes behind the last.
fn exchange_steps(source: &str, places: &Places, sections: &[NewSection]) -> String {
    let eol = EolStyle::of(source).as_str();
    let mut pieces: Vec<(Span, String)> = Vec::new();
    for (at, place) in places.steps.iter().enumerate() {
        let span = lines_of(source, places, place);
        let gap = if source[span.clone()].ends_with(&eol.repeat(2)) { eol } else { "" };
        let lines = sections.get(at).map(|section| format!("{}{gap}", section.lines));
        pieces.push((span, lines.unwrap_or_default()));
    }
    if let Some((_, last)) = pieces.last_mut() {
        for section in sections.iter().skip(places.steps.len()) {
            last.push_str(eol);
            last.push_str(&section.lines);
        }
    }
    splice(source, pieces)
}

/// The text with steps taken out, moved and put in; those that can stay where they are do.
fn move_steps(source: &str, places: &Places, sections: &[NewSection]) -> String {
    let eol = EolStyle::of(source).as_str();
    let stays = in_place(&sections.iter().map(|section| section.from).collect::<Vec<_>>());
    let staying: Vec<Option<&NewSection>> = (0..places.steps.len())
        .map(|at| {
            let mut here =
                sections.iter().zip(&stays).filter(|(section, stays)| **stays && section.from == Some(at));
            here.next().map(|(section, _)| section)
        })
        .collect();
    let mut pieces: Vec<(Span, String)> = Vec::new();
    for (place, stays) in places.steps.iter().zip(&staying) {
        match (stays, &place.number) {
            (None, _) => pieces.push((lines_of(source, places, place), String::new())),
            (Some(section), Some((_, digits))) => {
                let number =
                    sections.iter().position(|one| std::ptr::eq(one, *section)).map_or(0, |at| at + 1);
                pieces.push((digits.clone(), number.to_string()));
            }
            (Some(_), None) => {}
        }
    }
    let mut anchor = places.steps.first().map_or(source.len(), |place| place.span.start);
    let mut is_first = true;
    // Where the first step goes, the blank line behind it stays for what takes its place.
    let leaves_blank = places.steps.first().is_some_and(|place| {
        staying.first().is_some_and(Option::is_none)
            && source[lines_of(source, places, place).end..].starts_with(eol)
    });
    for (at, (section, stays)) in sections.iter().zip(&stays).enumerate() {
        if let Some(at) = section.from.filter(|_| *stays) {
            anchor = lines_of(source, places, &places.steps[at]).end;
            is_first = false;
            continue;
        }
        let lines = &section.lines;
        // A blank line on the side where the neighbour stands.
        let is_last_in_front = is_first && sections.get(at + 1).is_none_or(|next| next.from.is_some());
        let piece = if is_last_in_front && leaves_blank {
            lines.clone()
        } else if is_first || source[..anchor].ends_with(&eol.repeat(2)) {
            format!("{lines}{eol}")
        } else {
            format!("{eol}{lines}")
        };
        pieces.push(at_line(source, anchor, piece, eol));
    }
    pieces.sort_by_key(|(span, _)| (span.start, span.end));
    splice(source, pieces)
}
