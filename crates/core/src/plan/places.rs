//! Reading a plan: where its approach and its steps stand, and what they say.

use super::field::{self, Field, Label};
use super::{Plan, PlanStep, StepStatus, text};
use crate::diagnostic::Diagnostic;
use crate::document::{Document, FrontMatter, Heading, Section, Span};
use crate::rules::reading::{STEP_COMPLEXITY_UNKNOWN, STEP_NUMBER, STEP_STATUS_UNKNOWN};

/// Where the parts of a plan stand in a text.
#[derive(Debug)]
pub(super) struct Places {
    /// The lines between `## Approach` and the next section or step.
    pub(super) approach: Option<Span>,
    /// The whole section `## Steps`.
    pub(super) steps_section: Option<Span>,
    pub(super) steps: Vec<StepPlace>,
}

#[derive(Debug)]
pub(super) struct StepPlace {
    /// The whole section.
    pub(super) span: Span,
    /// Everything below the heading.
    pub(super) body: Span,
    /// The number in the heading and its digits.
    pub(super) number: Option<(u64, Span)>,
    title: String,
    pub(super) fields: Vec<Field>,
}

pub(super) fn read(source: &str) -> (Plan, Vec<Diagnostic>) {
    let document = Document::parse(source);
    let places = Places::of(&document);
    let front = document.front_matter().map(|block| FrontMatter::read(source, block)).unwrap_or_default();
    let string = |key| front.string(key).map(str::to_owned);
    let mut diagnostics = document.diagnostics().to_vec();
    diagnostics.extend(front.diagnostics.iter().cloned());
    check_numbers(&document, &places, &mut diagnostics);
    let approach = match &places.approach {
        Some(span) => text::read(document.slice(span.clone())),
        None => string("approach").map(|approach| text::normalised(&approach)).unwrap_or_default(),
    };
    let steps =
        places.steps.iter().enumerate().map(|(index, place)| place.read(&document, index, &mut diagnostics));
    let plan = Plan {
        spec_id: string("spec_id").unwrap_or_default(),
        approach,
        steps: steps.collect(),
        created_at: string("created_at"),
        updated_at: string("updated_at"),
    };
    (plan, diagnostics)
}

impl Places {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let named = |title| {
            let anywhere = || document.sections().find(|section| section.heading().is(title));
            document.section(2, title).or_else(anywhere)
        };
        let steps_section = named("Steps");
        let steps = step_sections(document, steps_section.as_ref());
        let approach = named("Approach").map(|section| {
            let body = section.body();
            // Without a `## Steps` the steps can stand in the section of the approach.
            let inside = steps.iter().map(|step| step.span().start).find(|start| body.contains(start));
            body.start..inside.unwrap_or(body.end)
        });
        Self {
            approach,
            steps_section: steps_section.map(|section| section.span()),
            steps: steps.iter().map(|section| StepPlace::of(document, section)).collect(),
        }
    }
}

/// The sections directly in `## Steps`, and those behind it that are called `Step <number>`; without a `## Steps` those
/// alone.
fn step_sections<'d, 't>(
    document: &'d Document<'t>,
    steps: Option<&Section<'d, 't>>,
) -> Vec<Section<'d, 't>> {
    let is_named = |section: &Section<'_, '_>| step_number(section.heading().raw, Prefix::Word).is_some();
    let below: Vec<_> = steps.map(|section| section.children().collect()).unwrap_or_default();
    let Some((first, steps)) = below.first().zip(steps) else {
        let start = steps.map_or(0, |section| section.span().start);
        let is_step = |section: &Section<'_, '_>| section.span().start >= start && is_named(section);
        let Some(first) = document.sections().find(is_step) else { return Vec::new() };
        let level = first.level();
        return document.sections().filter(|section| section.level() == level && is_step(section)).collect();
    };
    let (level, end) = (first.level(), steps.span().end);
    let number = |section: &Section<'_, '_>| {
        step_number(section.heading().raw, Prefix::Optional).map(|(number, ..)| number)
    };
    let numbers: Vec<Option<u64>> = below.iter().map(number).collect();
    // What has no number, status or complexity, where the numbers go on without it, is a person's own.
    let is_step = |at: usize| {
        let before = numbers[..at].iter().rev().find_map(|number| *number).unwrap_or(0);
        let after = numbers[at..].iter().find_map(|number| *number);
        numbers[at].is_some()
            || after != before.checked_add(1)
            || !field::fields(document, below[at].blocks()).is_empty()
    };
    let mut found: Vec<_> =
        below.iter().enumerate().filter(|(at, _)| is_step(*at)).map(|(_, section)| *section).collect();
    // A heading that somebody put between the steps ends `## Steps` before the last of them: what goes on counting is one.
    let mut last = found.last().and_then(number);
    let behind = document.sections().filter(|one| one.level() == level && one.span().start >= end);
    for section in behind.filter(is_named) {
        let own = number(&section);
        if own.is_some() && own == last.and_then(|last| last.checked_add(1)) {
            last = own;
            found.push(section);
        }
    }
    found
}

impl StepPlace {
    fn of(document: &Document<'_>, section: &Section<'_, '_>) -> Self {
        let heading: &Heading<'_> = section.heading();
        let prefix = step_number(heading.raw, Prefix::Optional);
        let title = prefix.as_ref().map_or(heading.raw, |(_, _, length)| &heading.raw[*length..]);
        let raw_start = section.block().content.start;
        Self {
            span: section.span(),
            body: section.body(),
            number: prefix
                .map(|(number, digits, _)| (number, raw_start + digits.start..raw_start + digits.end)),
            title: text::read_title(title),
            fields: field::fields(document, section.blocks()),
        }
    }

    pub(super) fn field(&self, label: Label) -> Option<&Field> {
        self.fields.iter().find(|field| field.label == label)
    }

    fn read(&self, document: &Document<'_>, index: usize, diagnostics: &mut Vec<Diagnostic>) -> PlanStep {
        let mut step = PlanStep { index, title: self.title.clone(), ..PlanStep::default() };
        step.description = self.description(document);
        for field in &self.fields {
            let value = document.slice(field.value.clone()).trim();
            let line = document.line_of(field.span.start);
            match field.label {
                Label::Notes => {
                    step.notes = Some(field::note(document, field)).filter(|note| !note.is_empty());
                }
                Label::Status => match field::status(value) {
                    Some(status) => step.status = status,
                    None => diagnostics.push(STEP_STATUS_UNKNOWN.at(
                        line,
                        field.span.clone(),
                        format!("`{value}` is not a status; the step counts as pending"),
                        format!("use one of `{}`", StepStatus::ALL.map(StepStatus::as_str).join("`, `")),
                    )),
                },
                Label::Complexity => match field::complexity(value) {
                    Some(complexity) => step.complexity = complexity,
                    None => diagnostics.push(STEP_COMPLEXITY_UNKNOWN.at(
                        line,
                        field.span.clone(),
                        format!("`{value}` is not a complexity; the step counts as simple"),
                        "use one of `trivial`, `simple`, `moderate`, `complex`",
                    )),
                },
            }
        }
        step
    }

    /// What stands behind the first field and is none: mostly what people wrote between this step and the next.
    pub(super) fn remarks(&self, document: &Document<'_>) -> String {
        let Some(first) = self.fields.first() else { return String::new() };
        self.texts(document, first.span.start).join("\n\n")
    }

    /// Everything below the heading that is no field: mostly what stands before the fields.
    fn description(&self, document: &Document<'_>) -> String {
        self.texts(document, self.body.start).join("\n\n")
    }

    /// What stands round the fields, from a place on.
    fn texts(&self, document: &Document<'_>, mut start: usize) -> Vec<String> {
        let mut parts = Vec::new();
        for field in &self.fields {
            parts.push(text::read(document.slice(start.min(field.span.start)..field.span.start)));
            start = field.span.end;
        }
        parts.push(text::read(document.slice(start.min(self.body.end)..self.body.end)));
        parts.retain(|part| !part.is_empty());
        parts
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// `Step 1`
    Word,
    /// `Step 1: …`, or `1. …`
    Optional,
}

/// A title without what the heading of a step has in front of it: `### Step 2: Title`.
pub fn bare_title(title: &str) -> &str {
    let raw = title.trim_start_matches('#').trim_start();
    step_number(raw, Prefix::Optional).map_or(raw, |(_, _, length)| raw[length..].trim_start())
}

/// The number at the start of a step's heading, where its digits are, and how long the whole prefix is.
fn step_number(raw: &str, prefix: Prefix) -> Option<(u64, Span, usize)> {
    let word = raw.get(..4).filter(|word| word.eq_ignore_ascii_case("step"));
    let after_word =
        word.map(|_| raw[4..].trim_start_matches(text::BLANKS)).filter(|rest| rest.len() + 4 < raw.len());
    let rest = match (after_word, prefix) {
        (Some(rest), _) => rest,
        (None, Prefix::Optional) => raw,
        (None, Prefix::Word) => return None,
    };
    let start = raw.len() - rest.len();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let tail = rest[digits..].trim_start_matches(text::BLANKS);
    let separator = tail.chars().next().filter(|ch| ":.)-–—".contains(*ch));
    let ends_word = rest[digits..].is_empty() || rest[digits..].starts_with(text::BLANKS);
    let is_prefix = match (after_word, separator) {
        (Some(_), None) => ends_word,
        (Some(_), Some(_)) => true,
        // Without the word, `2FA` and `3 - 1` are titles.
        (None, separator) => matches!(separator, Some(':' | '.' | ')')) && !ends_word,
    };
    let length = raw.len() - tail.len() + separator.map_or(0, char::len_utf8);
    is_prefix.then_some((number, start..start + digits, length))
}

fn check_numbers(document: &Document<'_>, places: &Places, diagnostics: &mut Vec<Diagnostic>) {
    let mut expected = 1;
    for place in &places.steps {
        let problem = match &place.number {
            Some((number, _)) if *number == expected => None,
            Some((number, _)) => Some(format!("step {number} is where step {expected} is expected")),
            None => Some(format!("the heading of step {expected} has no number")),
        };
        if let Some(problem) = problem {
            let hint = "number the steps from 1 in their order; a step is known by its place";
            let line = document.line_of(place.span.start);
            diagnostics.push(STEP_NUMBER.at(line, place.span.start..place.body.start, problem, hint));
        }
        expected = place.number.as_ref().map_or(expected, |(number, _)| *number).saturating_add(1);
    }
}
