//! `hewto plan`: how a spec is going to be built, step by step.

mod done;
mod new;
mod show;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Plan how a spec is built and tick its steps: new, show, done
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    New(new::Args),
    Show(show::Args),
    Done(done::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(ui, place, args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Done(args) => done::run(ui, place, &args),
    }
}
