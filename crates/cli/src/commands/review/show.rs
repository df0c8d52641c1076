//! `hewto review show`.

use hewto_engine::review::{self, ReviewOptions};

use super::text;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::Ui;

/// Show what is different since the last approval, who said what, and the comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// Show everything, and not only what is different
    #[arg(long)]
    whole: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let options = ReviewOptions { whole: args.whole };
    let view = review::show(&place.workspace()?, &context(), &args.id, options)?;
    ui.answer(&view, text::review)?;
    Ok(Verdict::Yes)
}
