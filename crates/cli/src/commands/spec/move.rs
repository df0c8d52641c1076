//! `hewto spec move`: the lifecycle, by hand.

use hewto_core::lifecycle::Lifecycle;
use hewto_engine::spec;
use serde_json::json;

use crate::act;
use crate::commands::open_points;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{self, NAME, Ui, one_line, paint};
use crate::values;

/// Move a spec to another state
#[derive(Debug, clap::Args)]
#[command(after_help = "draft → active → done → archived, active ↔ blocked, active → cancelled → archived")]
pub(crate) struct Args {
    /// The spec's id
    id: String,
    /// The state to move to
    #[arg(value_parser = values::lifecycle())]
    state: Lifecycle,
    /// Why; kept with the state
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "state": args.state.as_str(), "reason": args.reason });
    let moved = act::in_workspace(&workspace, "spec move", inputs, |ctx| {
        spec::transition(&workspace, ctx, &args.id, args.state, args.reason.as_deref())
    })?;
    ui.answer(&moved, |moved| {
        let (from, to) = (&moved.from_state, &moved.to_state);
        let id = paint(NAME, &one_line(&moved.spec_id));
        let line = format!("{id}  {} → {}\n", paint(ui::state(from), from), paint(ui::state(to), to));
        line + &open_points::open(&moved.open)
    })?;
    Ok(Verdict::Yes)
}
