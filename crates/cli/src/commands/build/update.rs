//! `hewto build update`.

use hewto_engine::build::{self, BuildReport};
use serde_json::json;

use crate::act;
use crate::commands::spec::build_progress;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Report how far a build is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// How far the build is, 0 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: Option<u8>,
    /// What is being worked on
    #[arg(long, value_name = "TEXT")]
    step: Option<String>,
    /// What is worth knowing
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let report = BuildReport { percentage: args.percent, current_step: args.step, notes: args.notes };
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "percent": args.percent, "step": report.current_step });
    let updated = act::in_workspace(&workspace, "build update", inputs, |ctx| {
        build::update(&workspace, ctx, &args.id, &report)
    })?;
    ui.answer(&updated, |updated| {
        facts([
            ("building", Cell::styled(&updated.spec_id, NAME)),
            ("progress", Cell::plain(build_progress(&updated.build_progress))),
        ])
    })?;
    Ok(Verdict::Yes)
}
