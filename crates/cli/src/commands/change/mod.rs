//! `hewto change`: propose changes to specs, look at them, archive them.

pub(super) mod archive;
mod diff;
mod edit;
mod list;
mod new;
mod overlaps;
mod show;
mod validate;
mod withdraw;
mod written;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Propose, validate, archive or withdraw changes
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    New(new::Args),
    Edit(edit::Args),
    List(list::Args),
    Show(show::Args),
    Validate(validate::Args),
    Diff(diff::Args),
    Archive(archive::Args),
    Withdraw(withdraw::Args),
    Overlaps(overlaps::Args),
}

/// A verdict on a change or a spec, for people.
pub(super) fn verdict(verdict: &hewto_engine::view::VerdictView) -> String {
    validate::render(verdict)
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(ui, place, args),
        Command::Edit(args) => edit::run(ui, place, args),
        Command::List(args) => list::run(ui, place, &args),
        Command::Show(args) => show::run(ui, place, &args),
        Command::Validate(args) => validate::run(ui, place, &args),
        Command::Diff(args) => diff::run(ui, place, &args),
        Command::Archive(args) => archive::run(ui, place, &args),
        Command::Withdraw(args) => withdraw::run(ui, place, &args),
        Command::Overlaps(args) => overlaps::run(ui, place, &args),
    }
}
