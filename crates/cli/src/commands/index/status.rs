//! `hewto index status`.

use hewto_engine::search;

use super::render;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::search_model::SearchModel;
use crate::ui::Ui;

/// Show what the search index holds
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    model: SearchModel,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?.with_model(args.model.choice()?);
    ui.answer(&search::status(&workspace, &context())?, render)?;
    Ok(Verdict::Yes)
}
