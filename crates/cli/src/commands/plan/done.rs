//! `hewto plan done`: tick a step.

use hewto_engine::view::StepCompleted;
use hewto_engine::{Action, Error, plan};
use serde_json::json;

use crate::act;
use crate::commands::open_points::lacking;
use crate::commands::spec::plan_progress;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, Ui, facts};

/// Tick a step of a plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// The step: its place as `hewto plan show` counts (from 1), its number in tasks.md (1.2), or its title
    step: String,
    /// What is worth knowing about it; replaces earlier notes
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "step": args.step, "notes": args.notes });
    let done = act::in_workspace(&workspace, "plan done", inputs, |ctx| {
        plan::complete_step(&workspace, ctx, &args.id, args.step.as_str(), args.notes.as_deref())
            .map_err(|error| in_words_of_the_command_line(error, &args.id))
    })?;
    ui.answer(&done, |done| {
        let told = facts([
            ("done", Cell::plain(step_line(done))),
            ("plan", Cell::plain(plan_progress(&done.plan_progress))),
        ]);
        told + &lacking(&done.lacking)
    })?;
    Ok(Verdict::Yes)
}

/// `2. Write it`, or `1.2 Write it` where the task list has numbers of its own.
pub(super) fn step_line(step: &StepCompleted) -> String {
    let dot = if step.step.contains('.') { "" } else { "." };
    format!("{}{dot} {}", step.step, step.step_title)
}

/// Where to look for the steps.
pub(super) fn in_words_of_the_command_line(mut error: Error, id: &str) -> Error {
    if error.details.contains_key("total_steps") {
        error.details.shift_remove("faults");
        if !error.details.contains_key("near") {
            error.hint = Some(Action::ShowPlan { item: id.to_owned() }.to("see its steps"));
        }
    }
    error
}
