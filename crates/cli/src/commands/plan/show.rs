//! `hewto plan show`.

use std::fmt::Write;

use hewto_core::plan::StepStatus;
use hewto_engine::plan;
use hewto_engine::view::{PlanStepView, PlanView};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{DIM, GOOD, HEADING, Ui, WARN, count, one_line, paint, visible};

/// Show the plan of a spec and how far it is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let plan = plan::show(&place.workspace()?, &context(), &args.id)?;
    ui.answer(&plan, render)?;
    Ok(Verdict::Yes)
}

fn render(plan: &PlanView) -> String {
    let done = plan.steps.iter().filter(|step| step.status == StepStatus::Completed).count();
    let mut out =
        format!("{}\n", paint(HEADING, &format!("{done} of {} done", count(plan.steps.len(), "step"))));
    if !plan.approach.trim().is_empty() {
        let _ = writeln!(out, "\n{}", visible(plan.approach.trim()));
    }
    out.push('\n');
    let width = plan.steps.len().to_string().len();
    for step in &plan.steps {
        let number = format!("{:>width$}", step.index + 1);
        let _ = writeln!(out, "{} {number}  {}{}", mark(step), one_line(&step.title), remark(step));
        let indent = " ".repeat(width + 6);
        for text in [Some(step.description.as_str()), step.notes.as_deref()].into_iter().flatten() {
            for line in visible(text.trim()).lines() {
                let _ = writeln!(out, "{}", format!("{indent}{line}").trim_end());
            }
        }
    }
    out
}

/// The box before a step.
fn mark(step: &PlanStepView) -> String {
    match step.status {
        StepStatus::Completed => paint(GOOD, "[x]"),
        StepStatus::Skipped => paint(DIM, "[-]"),
        StepStatus::InProgress => paint(WARN, "[~]"),
        StepStatus::Pending => "[ ]".to_owned(),
    }
}

/// What the box does not say.
fn remark(step: &PlanStepView) -> String {
    paint(DIM, &format!("  ({})", one_line(&step.complexity)))
}
