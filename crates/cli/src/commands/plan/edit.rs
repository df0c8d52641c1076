//! `hewto plan edit`.

use hewto_engine::plan::{self, PlanChanges, StepInput};
use hewto_engine::view::PlanUpdated;
use serde_json::json;

use super::new::Step;
use crate::act;
use crate::editor;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Ui, facts};

/// Change the plan of a spec or a change, in arguments or in an editor
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without arguments opens the plan in your editor (EDITOR). It is checked when it is saved, and opened again with what is \
wrong as comments; what was written is never lost.")]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// How it is going to be built
    #[arg(long, value_name = "TEXT")]
    approach: Option<String>,
    /// A step, as "title: description", in place of all there are; those whose title stays keep their tick and notes
    #[arg(long = "step", value_name = "STEP")]
    steps: Vec<Step>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let steps: Vec<StepInput> = args.steps.into_iter().map(Into::into).collect();
    let changes =
        PlanChanges { approach: args.approach, steps: Some(steps).filter(|steps| !steps.is_empty()) };
    let updated = if changes != PlanChanges::default() {
        act::in_workspace(&workspace, "plan edit", json!({ "id": args.id }), |ctx| {
            plan::update(&workspace, ctx, &args.id, &changes)
        })?
    } else if editor::is_there() {
        let before = plan::markdown(&workspace, &context(), &args.id)?;
        editor::write("plan", &before, |text| {
            act::in_workspace(&workspace, "plan edit", json!({ "id": args.id }), |ctx| {
                plan::rewrite(&workspace, ctx, &args.id, &before, text)
            })
        })?
    } else {
        return Err(usage("nothing to edit was given, and there is no editor")
            .hint("give --approach or --step, or set `EDITOR`")
            .into());
    };
    ui.answer(&updated, render)?;
    Ok(Verdict::Yes)
}

fn render(updated: &PlanUpdated) -> String {
    let mut out = facts([
        ("plan", Cell::styled(&updated.spec_id, NAME)),
        ("steps", Cell::plain(updated.total_steps.to_string())),
    ]);
    if !updated.dropped.is_empty() {
        out.push_str(&facts([("dropped", Cell::plain(updated.dropped.join(", ")))]));
    }
    out
}
