//! `hewto change withdraw`.

use hewto_engine::change;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// End a change without applying it; it stays in the archive with the reason
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The change's id
    id: String,
    /// Why it is not wanted after all
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "reason": args.reason });
    let view = act::in_workspace(&workspace, "change withdraw", inputs, |ctx| {
        change::withdraw(&workspace, ctx, &args.id, &args.reason)
    })?;
    ui.answer(&view, |view| {
        facts([("withdrawn", Cell::styled(&view.change_id, NAME)), ("folder", Cell::plain(&view.path))])
    })?;
    Ok(Verdict::Yes)
}
