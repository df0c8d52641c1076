//! `hewto spec status`: where a work item stands, without its text.

use hewto_engine::spec::{self, ItemKind};
use hewto_engine::view::{BuildProgressView, PlanProgressView, SpecStatusView};

use super::list::state_cell;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, DIM, NAME, Table, Ui, count, one_line};

/// Show where a spec stands
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let status = spec::status(&place.workspace()?, &context(), &args.id)?;
    ui.answer(&status, render)?;
    Ok(Verdict::Yes)
}

/// `2 of 3 steps (66 %)`.
pub(crate) fn plan_progress(progress: &PlanProgressView) -> String {
    format!(
        "{} of {} ({} %)",
        progress.completed_steps,
        count(progress.total_steps, "step"),
        progress.percentage
    )
}

/// `40 %: Wire the form`.
pub(crate) fn build_progress(progress: &BuildProgressView) -> String {
    match progress.current_step.as_deref().map(one_line) {
        Some(step) if !step.is_empty() => format!("{} %: {step}", progress.percentage),
        _ => format!("{} %", progress.percentage),
    }
}

fn render(status: &SpecStatusView) -> String {
    let mut table = Table::default();
    let mut fact = |name: &str, cell: Cell| table.row([Cell::styled(name, DIM), cell]);
    fact("spec", Cell::styled(&status.spec_id, NAME));
    fact("title", Cell::plain(&status.title));
    // What is promised has no state to speak of.
    let is_living = status.kind == ItemKind::Living;
    fact("state", if is_living { Cell::plain("living") } else { state_cell(Some(&status.lifecycle_state)) });
    if let Some(reason) = &status.reason {
        fact("reason", Cell::plain(reason));
    }
    if !is_living {
        fact("phase", Cell::plain(status.phase.to_string()));
    }
    fact("plan", Cell::plain(status.plan_progress.as_ref().map_or_else(|| "none".to_owned(), plan_progress)));
    fact("build", Cell::plain(build_progress(&status.build_progress)));
    if let Some(notes) = &status.build_progress.notes {
        fact("notes", Cell::plain(notes));
    }
    let dependencies = &status.dependencies;
    let waits = match (dependencies.total, dependencies.blocked) {
        (0, _) => "none".to_owned(),
        (total, 0) => format!("{} of {total} satisfied", dependencies.satisfied),
        (total, blocked) => format!("{} of {total} satisfied, {blocked} blocking", dependencies.satisfied),
    };
    fact("depends", Cell::plain(waits));
    fact("updated", Cell::plain(status.updated_at.as_deref().unwrap_or("-")));
    table.render()
}
