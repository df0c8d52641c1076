//! `hewto log`.
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::Ui;
/// Show recent operations
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}
pub(crate) fn run(_ui: &mut Ui, _place: &Place, _args: Args) -> Outcome {
    Ok(Verdict::Yes)
}
