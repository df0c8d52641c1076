//! `hewto change`: propose changes to specs, look at them, archive them.

mod archive;
mod diff;
mod list;
mod new;
mod overlaps;
mod show;
mod validate;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Propose changes, archive them: new, list, show, validate, diff, archive, overlaps
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    New(new::Args),
    List(list::Args),
    Show(show::Args),
    Validate(validate::Args),
    Diff(diff::Args),
    Archive(archive::Args),
    Overlaps(overlaps::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(ui, place, args),
        Command::List(args) => list::run(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Validate(args) => validate::run(ui, place, &args),
        Command::Diff(args) => diff::run(ui, place, &args),
        Command::Archive(args) => archive::run(ui, place, &args),
        Command::Overlaps(args) => overlaps::run(ui, place, &args),
    }
}
