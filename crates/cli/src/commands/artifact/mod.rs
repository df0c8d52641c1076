//! `hewto artifact`: specs, implementations, scratch pads, changes and decisions as artifacts.

mod delete;
mod list;
mod new;
mod show;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// List, create, show and delete artifacts by their handles
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    New(new::Args),
    Show(show::Args),
    Delete(delete::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(ui, place, args),
        Command::New(args) => new::run(ui, place, args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Delete(args) => delete::run(ui, place, &args),
    }
}
