//! `hewto`: the command line and the way to start the MCP server.
//!
//! This crate talks to people. It decodes arguments, makes one engine call and shows the answer; it decides nothing
//! about specs. Commands are in [`commands`], one file per verb; the terminal is in [`ui`], exit codes in [`failure`].

mod act;
mod actions;
mod args;
mod commands;
mod editor;
mod env;
mod failure;
mod hub_settings;
mod ids;
mod interrupt;
mod logging;
mod mcp_client;
mod mcp_probe;
mod person;
mod place;
mod program;
mod pusher;
mod search_model;
mod sign;
mod ui;
mod values;

use std::process::ExitCode;

use clap_complete::CompleteEnv;

use crate::args::Cli;
use crate::ui::Ui;

fn main() -> ExitCode {
    // A shell that asks what can follow is answered here, and the process ends.
    CompleteEnv::with_factory(args::command).var(env::COMPLETE).complete();
    let cli = match Cli::from_command_line() {
        Ok(cli) => cli,
        Err(rejection) => return rejection.tell(),
    };
    let mut ui = Ui::new(cli.format());
    let outcome = commands::run(&mut ui, cli);
    failure::conclude(&mut ui, outcome)
}
