//! `hewto plan undo`: open a step again.

use hewto_engine::plan;
use serde_json::json;

use super::done::{in_words_of_the_command_line, step_line};
use crate::act;
use crate::commands::spec::plan_progress;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, Ui, facts};

/// Untick a step of a plan, with the reason
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// The step: its place as `hewto plan show` counts (from 1), its number in tasks.md (1.2), or its title
    step: String,
    /// Why it is not done after all; kept in its notes
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "step": args.step, "reason": args.reason });
    let undone = act::in_workspace(&workspace, "plan undo", inputs, |ctx| {
        plan::reopen_step(&workspace, ctx, &args.id, args.step.as_str(), &args.reason)
            .map_err(|error| in_words_of_the_command_line(error, &args.id))
    })?;
    ui.answer(&undone, |undone| {
        facts([
            ("open again", Cell::plain(step_line(undone))),
            ("plan", Cell::plain(plan_progress(&undone.plan_progress))),
        ])
    })?;
    Ok(Verdict::Yes)
}
