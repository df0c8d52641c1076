//! `hewto requirement`: what specs promise.

mod list;
mod show;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Read what specs promise: list, show
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Show(show::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
    }
}
