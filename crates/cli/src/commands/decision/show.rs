//! `hewto decision show`.

use hewto_engine::decision;

use crate::commands::clarify::RepoArgs;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Ui, visible};

/// Show one decision record
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The decision's UID, or the beginning of it; its old number where it was imported
    uid: String,
    #[command(flatten)]
    repo: RepoArgs,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let view = decision::show(&args.repo.open(place)?, &context(), &args.uid)?;
    ui.answer(&view, |view| visible(&view.text))?;
    Ok(Verdict::Yes)
}
