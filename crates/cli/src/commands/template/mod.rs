//! `hewto template`: which template serves what, and the pointers that choose it.

mod list;
mod pointer;
mod show;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// See which template serves what, and choose another
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Set(pointer::SetArgs),
    Clear(pointer::ClearArgs),
    Show(show::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(ui, place, &args),
        Command::Set(args) => pointer::set(ui, place, args),
        Command::Clear(args) => pointer::clear(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
    }
}
