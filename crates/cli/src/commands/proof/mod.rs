//! `hewto proof`: which promises hold, and the runs that show it.

mod baseline;
mod init;
mod run;
mod show;
mod status;
pub(super) mod waive;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::Ui;

/// Show which promises the code keeps, proven by runs of its own tests
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
A scenario is kept when a test is linked to it (`// @spec capability#requirement/scenario`), the test passed in a run that hewto \
made, and text, code and test are what they were then.

Examples:
  hewto proof                                 every scenario, and what is missing
  hewto proof accounts                        those of one capability; also change:ID, or a reference
  hewto proof run                             run the declared checks
  hewto proof --run --format github           what CI runs: the checks, then the table
  hewto proof --since main                    only what this branch moved
  hewto proof --format sarif > proof.sarif    for code scanning; also md, html, junit, github, badge

Exits with 0 when all is green, 1 when something is red, 2 for wrong usage, 3 when a check cannot run."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    status: status::Args,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(run::Args),
    Show(show::Args),
    Init(init::Args),
    Baseline(baseline::Args),
    Waive(waive::Args),
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    match args.command {
        None => status::run(ui, place, &args.status),
        Some(Command::Run(args)) => run::run(ui, place, &args),
        Some(Command::Show(args)) => show::run(ui, place, &args),
        Some(Command::Init(args)) => init::run(ui, place, &args),
        Some(Command::Baseline(args)) => baseline::run(ui, place, &args),
        Some(Command::Waive(args)) => waive::run(ui, place, &args),
    }
}
