//! `hewto plan done`: tick a step.

use hewto_engine::{Action, Error, plan};
use serde_json::{Value, json};

use crate::act;
use crate::commands::spec::plan_progress;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, Ui, facts};

/// Tick a step of a plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// The number of the step, as `hewto plan show` and the headings of plan.md count: from 1
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// What is worth knowing about it; replaces earlier notes
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let index = args.step as usize - 1;
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "step": args.step, "notes": args.notes });
    let done = act::in_workspace(&workspace, "plan done", inputs, |ctx| {
        plan::complete_step(&workspace, ctx, &args.id, index, args.notes.as_deref())
            .map_err(|error| count_from_one(error, args))
    })?;
    ui.answer(&done, |done| {
        facts([
            ("done", Cell::plain(format!("{}. {}", done.step_index + 1, done.step_title))),
            ("plan", Cell::plain(plan_progress(&done.plan_progress))),
        ])
    })?;
    Ok(Verdict::Yes)
}

/// The engine counts steps from 0, as the tools do; whoever typed a number here counted from 1.
fn count_from_one(mut error: Error, args: &Args) -> Error {
    if let Some(total) = error.details.get("total_steps").and_then(Value::as_u64) {
        error.details.shift_remove("faults");
        error.message = format!("there is no step {}: the plan has {total}", args.step);
        error.hint = Some(Action::ShowPlan { item: args.id.clone() }.to("see its steps"));
    }
    error
}
