//! The commands: one file per verb, one folder per noun that has several.
//!
//! A command file holds its arguments (whose doc comments are its help) and one `run`, which makes one engine call
//! and shows the answer. A new command is a file here, a variant below, and a place in a group of the help page.

mod adopt;
mod approve;
mod architecture;
mod archive;
mod artifact;
mod build;
mod change;
mod claim;
mod clarify;
mod client_config;
mod completions;
mod decision;
mod demo;
mod doctor;
mod drift;
mod export;
mod gate;
mod graph;
mod hub;
mod import;
mod index;
mod init;
mod link;
mod list;
mod log;
mod man;
mod mcp_check;
mod next;
mod open_points;
mod ops;
mod overview;
mod plan;
mod proof;
mod requirement;
mod review;
mod search;
mod serve;
mod spec;
mod template;
mod trust;
mod ui;
mod uninstall;
mod upgrade;
mod validate;
mod why;

use crate::actions;
use crate::args::Cli;
use crate::failure::Outcome;
use crate::logging::{self, Verbosity};
use crate::place::{self, Place};
use crate::ui::Ui;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Init(init::Args),
    Adopt(adopt::Args),
    Demo(demo::Args),
    Clarify(clarify::Args),
    #[command(subcommand)]
    Decision(decision::Command),
    Architecture(architecture::Args),
    Import(import::Args),
    Export(export::Args),
    Upgrade(upgrade::Args),
    Uninstall(uninstall::Args),
    #[command(subcommand)]
    Spec(spec::Command),
    #[command(subcommand)]
    Plan(plan::Command),
    #[command(subcommand)]
    Build(build::Command),
    #[command(subcommand)]
    Change(change::Command),
    Approve(approve::Args),
    #[command(subcommand)]
    Review(review::Command),
    Gate(gate::Args),
    Claim(claim::ClaimArgs),
    Release(claim::ReleaseArgs),
    /// Show who works on what
    Who,
    #[command(subcommand)]
    Requirement(requirement::Command),
    Search(search::Args),
    #[command(subcommand)]
    Index(index::Command),
    Proof(proof::Args),
    Link(link::Args),
    Drift(drift::Args),
    Graph(graph::Args),
    #[command(subcommand)]
    Artifact(artifact::Command),
    #[command(subcommand)]
    Template(template::Command),
    Why(why::Args),
    Status(overview::Args),
    Next(next::Args),
    List(list::Args),
    Archive(archive::Args),
    Validate(validate::Args),
    Log(log::Args),
    Doctor(doctor::Args),
    Ops(ops::Args),
    Trust(trust::Args),
    Ui(ui::Args),
    // `mcp` is what AirsSpec's users have in their configuration.
    #[command(alias = "mcp")]
    Serve(serve::Args),
    #[command(subcommand)]
    Hub(hub::Command),
    ClientConfig(client_config::Args),
    McpCheck(mcp_check::Args),
    Completions(completions::Args),
    Man(man::Args),
}

pub(crate) fn run(ui: &mut Ui, cli: Cli) -> Outcome {
    let verbosity = match &cli.command {
        Some(Command::Serve(args)) if args.debug => Verbosity::Debug,
        _ => Verbosity::Warnings,
    };
    logging::start(ui, verbosity);
    if let Some(Command::Serve(args)) = &cli.command
        && args.is_http()
    {
        return serve::run_http(ui, &cli.globals, args);
    }
    if let Some(Command::Ui(args)) = &cli.command {
        return ui::run(ui, &cli.globals, args);
    }
    if let Some(Command::Hub(command)) = cli.command {
        return hub::run(ui, &cli.globals, command);
    }
    place::show_claim(cli.globals.claim);
    let place = Place::of(&cli.globals)?;
    if let [path] = &cli.globals.workspace[..] {
        actions::in_workspace(path);
    }
    match cli.command {
        None => overview::run(ui, &place, &overview::Args::default()),
        Some(Command::Status(args)) => overview::run(ui, &place, &args),
        Some(Command::Next(args)) => next::run(ui, &place, &args),
        Some(Command::List(args)) => list::run(ui, &place, &args),
        Some(Command::Archive(args)) => archive::run(ui, &place, args),
        Some(Command::Init(args)) => init::run(ui, &place, args),
        Some(Command::Adopt(args)) => adopt::run(ui, &place, &args),
        Some(Command::Demo(args)) => demo::run(ui, &args),
        Some(Command::Clarify(args)) => clarify::run(ui, &place, args),
        Some(Command::Decision(command)) => decision::run(ui, &place, command),
        Some(Command::Architecture(args)) => architecture::run(ui, &place, &args),
        Some(Command::Export(args)) => export::run(ui, &place, &args),
        Some(Command::Import(args)) => import::run(ui, &place, &args),
        Some(Command::Upgrade(args)) => upgrade::run(ui, &place, &args),
        Some(Command::Uninstall(args)) => uninstall::run(ui, &place, &args),
        Some(Command::Spec(command)) => spec::run(ui, &place, command),
        Some(Command::Plan(command)) => plan::run(ui, &place, command),
        Some(Command::Build(command)) => build::run(ui, &place, command),
        Some(Command::Change(command)) => change::run(ui, &place, command),
        Some(Command::Approve(args)) => approve::run(ui, &place, &args),
        Some(Command::Review(command)) => review::run(ui, &place, command),
        Some(Command::Gate(args)) => gate::run(ui, &place, &args),
        Some(Command::Claim(args)) => claim::claim(ui, &place, args),
        Some(Command::Release(args)) => claim::release(ui, &place, &args),
        Some(Command::Who) => claim::who(ui, &place),
        Some(Command::Requirement(command)) => requirement::run(ui, &place, command),
        Some(Command::Search(args)) => search::run(ui, &place, &args),
        Some(Command::Index(command)) => index::run(ui, &place, command),
        Some(Command::Proof(args)) => proof::run(ui, &place, args),
        Some(Command::Link(args)) => link::run(ui, &place, args),
        Some(Command::Drift(args)) => drift::run(ui, &place, args),
        Some(Command::Graph(args)) => graph::run(ui, &place, &args),
        Some(Command::Artifact(command)) => artifact::run(ui, &place, command),
        Some(Command::Template(command)) => template::run(ui, &place, command),
        Some(Command::Why(args)) => why::run(ui, &place, &args),
        Some(Command::Ops(args)) => ops::run(ui, &place, args),
        Some(Command::Trust(args)) => trust::run(ui, &place, &args),
        Some(Command::Validate(args)) => validate::run(ui, &place, &args),
        Some(Command::Log(args)) => log::run(ui, &place, args),
        Some(Command::Serve(args)) => serve::run(&place, &args),
        // Started above: it may have several places.
        Some(Command::Ui(args)) => ui::run(ui, &cli.globals, &args),
        Some(Command::ClientConfig(args)) => client_config::run(ui, &place, &args),
        Some(Command::McpCheck(args)) => mcp_check::run(ui, &args),
        Some(Command::Hub(_)) => unreachable!("the hub was run above"),
        Some(Command::Completions(args)) => completions::run(ui, &args),
        Some(Command::Man(args)) => man::run(ui, &args),
        Some(Command::Doctor(args)) => doctor::run(ui, &place, &args),
    }
}
