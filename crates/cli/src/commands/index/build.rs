//! `hewto index build`.

use hewto_engine::search;
use serde_json::json;

use super::render;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, unhurried};
use crate::search_model::SearchModel;
use crate::ui::Ui;

/// Build the search index, or bring it up to date
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is already right is kept, so a build that was interrupted goes on where it stopped."
)]
pub(crate) struct Args {
    #[command(flatten)]
    model: SearchModel,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?.with_model(args.model.choice()?);
    let layout = || Some(workspace.layout().clone());
    let view =
        act::noted(unhurried(), "index build", json!({}), layout, |ctx| search::build(&workspace, ctx))?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}
