//! `hewto plan`: how a spec is going to be built, step by step.

mod done;
mod edit;
mod new;
mod show;
mod undo;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Plan how a spec is built and tick its steps: new, show, edit, done, undo
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    New(new::Args),
    Show(show::Args),
    Edit(edit::Args),
    Done(done::Args),
    Undo(undo::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(ui, place, args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Edit(args) => edit::run(ui, place, args),
        Command::Done(args) => done::run(ui, place, &args),
        Command::Undo(args) => undo::run(ui, place, &args),
    }
}
