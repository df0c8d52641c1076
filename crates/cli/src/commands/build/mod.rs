//! `hewto build`: the build of a spec, from the approved plan to done.

mod done;
mod start;
mod update;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Build a spec and report on it: start, update, done
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Start(start::Args),
    Update(update::Args),
    Done(done::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::Start(args) => start::run(ui, place, &args),
        Command::Update(args) => update::run(ui, place, args),
        Command::Done(args) => done::run(ui, place, args),
    }
}
