//! `hewto hub`: the team hub, its tokens, pushes to it, and its audit.

mod admin;
mod audit;
mod folder;
mod grant;
mod push;
mod serve;
pub(super) mod show;
mod token;

use crate::args::Globals;
use crate::failure::Outcome;
use crate::place::Place;

use crate::ui::Ui;

/// Join many repositories and machines: the team hub
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Serve(serve::Args),
    #[command(subcommand)]
    Token(token::Command),
    Grant(grant::Args),
    Push(push::Args),
    #[command(subcommand)]
    Audit(audit::Command),
}

pub(crate) fn run(ui: &mut Ui, globals: &Globals, command: Command) -> Outcome {
    match command {
        Command::Serve(args) => serve::run(ui, &args),
        Command::Token(command) => token::run(ui, command),
        Command::Grant(args) => grant::run(ui, args),
        Command::Push(args) => push::run(ui, &Place::of(globals)?, &args),
        Command::Audit(command) => audit::run(ui, &command),
    }
}
