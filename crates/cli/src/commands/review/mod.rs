//! `hewto review`: what there is to decide, and what people said about it.

mod comment;
mod list;
mod resolve;
mod show;
pub(super) mod text;

use hewto_engine::review::{Channel, Reviewer};

use crate::env;
use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// See what is to be reviewed, comment on it: show, list, comment, resolve
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Show(show::Args),
    List(list::Args),
    Comment(comment::Args),
    Resolve(resolve::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::Show(args) => show::run(ui, place, &args),
        Command::List(args) => list::run(ui, place, &args),
        Command::Comment(args) => comment::run(ui, place, args),
        Command::Resolve(args) => resolve::run(ui, place, &args),
    }
}

/// Whoever runs this: a person only where one can be asked and no agent shows.
fn author(ui: &Ui, name: Option<&str>) -> Reviewer {
    let is_person = ui.can_ask() && env::agent().is_none();
    let channel = if is_person { Channel::Terminal } else { Channel::Asserted };
    Reviewer { name: name.map_or_else(env::user, str::to_owned), channel }
}
