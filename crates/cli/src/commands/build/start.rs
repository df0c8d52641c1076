//! `hewto build start`.

use hewto_engine::build::{self, Approval};
use serde_json::json;

use crate::act;
use crate::actions::typed;
use crate::commands::open_points;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Start the build of a spec whose plan is approved
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// Confirm that the plan was read and is approved
    #[arg(long)]
    approve: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let approval = if args.approve { Approval::Given } else { Approval::Missing };
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "approve": args.approve });
    let started = act::in_workspace(&workspace, "build start", inputs, |ctx| {
        build::start(&workspace, ctx, &args.id, approval)
    })?;
    ui.answer(&started, |started| {
        let told = facts([
            ("building", Cell::styled(&started.spec_id, NAME)),
            ("steps", Cell::plain(started.plan_steps.to_string())),
            ("next", Cell::plain(typed(&format!("plan done {} 1", started.spec_id)))),
        ]);
        told + &open_points::open(&started.open)
    })?;
    Ok(Verdict::Yes)
}
