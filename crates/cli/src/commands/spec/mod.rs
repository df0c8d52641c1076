//! `hewto spec`: write specs, read them, move them through their life.

mod deps;
mod list;
mod r#move;
mod new;
mod show;
mod status;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

pub(crate) use status::{build_progress, plan_progress};

/// Write specs, read them, move them: new, list, show, status, move, deps
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    New(new::Args),
    List(list::Args),
    Show(show::Args),
    Status(status::Args),
    Move(r#move::Args),
    Deps(deps::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(ui, place, args),
        Command::List(args) => list::run(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Status(args) => status::run(ui, place, &args),
        Command::Move(args) => r#move::run(ui, place, &args),
        Command::Deps(args) => deps::run(ui, place, args),
    }
}
