//! `hewto decision`: the decision records of a repository.

mod list;
mod new;
mod show;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Read decision records and write one without an interview: list, show, new
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Show(show::Args),
    New(new::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::New(args) => new::run(ui, place, args),
    }
}
