//! Writing a plan. Each text is written bare where it reads back as itself, and as a quote elsewhere.

use super::field::Label;
use super::text::{self, Form, written, written_title};
use super::{Plan, PlanStep, places};
use crate::document::EolStyle;
use crate::document::front_matter::{self, Value};

pub(super) fn render(plan: &Plan) -> String {
    let text = render_as(plan, None);
    // A plan without steps, or with texts that only disturb each other together, shows here.
    if says(&text, plan) { text } else { render_as(plan, Some(Form::Quoted)) }
}

/// Whether a text reads back as the approach and the steps of a plan.
fn says(text: &str, plan: &Plan) -> bool {
    let (read, _) = places::read(text);
    read.approach == text::normalised(&plan.approach) && read.steps == kept(&plan.steps)
}

/// Steps as they come back from a plan.
pub(super) fn kept(steps: &[PlanStep]) -> Vec<PlanStep> {
    let keep = |(index, step): (usize, &PlanStep)| PlanStep {
        index,
        title: text::normalised_title(&step.title),
        description: text::normalised(&step.description),
        notes: step.notes.as_deref().map(text::normalised).filter(|notes| !notes.is_empty()),
        ..step.clone()
    };
    steps.iter().enumerate().map(keep).collect()
}

fn render_as(plan: &Plan, form: Option<Form>) -> String {
    let mut values = vec![("spec_id", Value::Text(plan.spec_id.clone()))];
    values.push(("approach", Value::Text(text::normalised(&plan.approach))));
    values.extend(plan.created_at.clone().map(|moment| ("created_at", Value::Timestamp(moment))));
    values.extend(plan.updated_at.clone().map(|moment| ("updated_at", Value::Timestamp(moment))));
    let mut out = front_matter::render(values.iter().map(|(key, value)| (*key, value)), EolStyle::Lf);
    out.push_str("\n# Implementation Plan\n\n## Approach\n\n");
    let approach = approach(&plan.approach, form);
    if !approach.is_empty() {
        out.push_str(&approach);
        out.push_str("\n\n");
    }
    out.push_str("## Steps\n");
    for (index, step) in plan.steps.iter().enumerate() {
        out.push('\n');
        out.push_str(&render_step(step, index, form));
    }
    out
}

/// The lines of an approach, in the form that is asked for or needed.
pub(super) fn approach(text: &str, form: Option<Form>) -> String {
    let text = text::normalised(text);
    let form = form.unwrap_or_else(|| {
        let trial = format!("## Approach\n\n{text}\n\n## Steps\n\n### Step 1: x\n- **Status:** skipped\n");
        let (plan, _) = places::read(&trial);
        let stays = plan.approach == text && matches!(plan.steps.as_slice(), [step] if step.title == "x");
        if stays { Form::Bare } else { Form::Quoted }
    });
    if text.is_empty() { text } else { written(&text, form) }
}

/// The section of a step, ended by a line end.
pub(super) fn render_step(step: &PlanStep, index: usize, form: Option<Form>) -> String {
    let heading = format!("### Step {}: {}", index + 1, written_title(&text::normalised_title(&step.title)));
    let mut out = format!("{}\n", heading.trim_end());
    let description = description(&step.description, form);
    if !description.is_empty() {
        out.extend(["\n", &description, "\n\n"]);
    }
    out.push_str(&bullet("- ", Label::Complexity, step.complexity.as_str()));
    out.push_str(&bullet("- ", Label::Status, step.status.as_str()));
    if let Some(notes) = step.notes.as_deref().filter(|notes| !text::normalised(notes).is_empty()) {
        out.push_str(&render_notes("- ", notes, form));
    }
    out
}

fn description(text: &str, form: Option<Form>) -> String {
    let text = text::normalised(text);
    if text.is_empty() {
        return text;
    }
    let form = form.unwrap_or_else(|| {
        let bullets = "- **Complexity:** complex\n- **Status:** skipped\n- **Notes:** n\n";
        let trial = format!("## Steps\n\n### Step 1: x\n\n{text}\n\n{bullets}\n### Step 2: y\n{bullets}");
        let same =
            |step: &PlanStep| step.status == super::StepStatus::Skipped && step.notes.as_deref() == Some("n");
        let (plan, _) = places::read(&trial);
        let stays = matches!(plan.steps.as_slice(), [first, second]
            if first.description == text && second.description.is_empty() && same(first) && same(second));
        if stays { Form::Bare } else { Form::Quoted }
    });
    written(&text, form)
}

/// A bullet of one line.
pub(super) fn bullet(lead: &str, label: Label, value: &str) -> String {
    format!("{lead}**{}:** {value}\n", label.name())
}

/// The bullet of a note. `lead` is what stands before its label; further lines are indented as deep.
pub(super) fn render_notes(lead: &str, notes: &str, form: Option<Form>) -> String {
    let notes = text::normalised(notes);
    let render = |form| {
        let lines = written(&notes, form);
        let mut out = format!("{lead}**{}:**", Label::Notes.name());
        let indent = " ".repeat(lead.chars().count());
        // A quote begins on a line of its own.
        out.push_str(if form == Form::Quoted { "\n" } else { " " });
        for (index, line) in lines.split('\n').enumerate() {
            if !line.is_empty() && (index > 0 || form == Form::Quoted) {
                out.push_str(&indent);
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    };
    let form = form.unwrap_or_else(|| {
        let trial = format!("## Steps\n\n### Step 1: x\n{}\n### Step 2: y\n", render(Form::Bare));
        let (plan, _) = places::read(&trial);
        let stays = matches!(plan.steps.as_slice(), [first, _]
            if first.notes.as_deref() == Some(&notes) && first.description.is_empty());
        if stays { Form::Bare } else { Form::Quoted }
    });
    render(form)
}
