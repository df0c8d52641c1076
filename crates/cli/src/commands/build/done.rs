//! `hewto build done`.

use hewto_engine::Key;
use hewto_engine::build::{self, Completion};
use hewto_engine::view::OpenPoint;
use serde_json::json;

use crate::act;
use crate::commands::open_points;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, GOOD, Ui, WARN, count, facts};

/// Finish the build of a spec
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// What was built
    #[arg(long, value_name = "TEXT")]
    summary: String,
    /// Where the build went another way than the plan
    #[arg(long, value_name = "TEXT")]
    deviations: Option<String>,
    /// A step that will not be done, by title or number, and why; may be repeated
    #[arg(long, value_name = "STEP=REASON", value_parser = dropped)]
    drop: Vec<(String, String)>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let completion = Completion {
        summary: args.summary,
        deviations: args.deviations,
        dropped: Some(args.drop.into_iter().collect()),
    };
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "summary": completion.summary, "deviations": completion.deviations });
    let completed = act::in_workspace(&workspace, "build done", inputs, |ctx| {
        build::complete(&workspace, ctx, &args.id, &completion)
    })?;
    ui.answer(&completed, |completed| {
        let open = match completed.open_steps {
            0 => Cell::plain("all steps of the plan are done"),
            open => Cell::styled(format!("{} of the plan still open", count(open, "step")), WARN),
        };
        let told = facts([
            ("done", Cell::styled(&completed.spec_id, GOOD)),
            ("at", Cell::plain(&completed.completed_at)),
            ("plan", open),
        ]);
        // What is open of the plan was said above.
        let open: Vec<OpenPoint> =
            completed.open.iter().filter(|point| point.key != Key::StepsOpen.as_str()).cloned().collect();
        told + &open_points::open(&open) + &open_points::lacking(&completed.lacking)
    })?;
    Ok(Verdict::Yes)
}

fn dropped(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(step, reason)| !step.is_empty() && !reason.trim().is_empty());
    let (step, reason) = parts.ok_or_else(|| "write it as STEP=REASON".to_owned())?;
    Ok((step.to_owned(), reason.to_owned()))
}
