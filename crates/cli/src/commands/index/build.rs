//! `hewto index build`.

use hewto_engine::search;

use super::render;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, unhurried};
use crate::search_model::SearchModel;
use crate::ui::Ui;

/// Make the search index, or bring it up to date
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
    ui.answer(&search::build(&workspace, &unhurried())?, render)?;
    Ok(Verdict::Yes)
}
