//! Measures hewto beside controls of the same run and prints a table or, with `--json`, a record.
//!
//! A time by itself says little on a machine that others share; a ratio to a control measured in the same minute
//! says more. Nothing here asserts: `docs/bench.md` keeps what was measured.

#![expect(clippy::cast_precision_loss, reason = "figures are shown with three digits")]

mod client;
mod generate;
mod programs;
mod report;
mod rows;
mod sample;

use std::process::ExitCode;

use clap::Parser;

use report::Report;

/// Measure hewto beside controls of the same run
#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// How many specs the generated workspace has
    #[arg(long, default_value_t = 10_000)]
    specs: usize,
    /// How often a figure is taken; the median counts
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Measure only the rows whose name contains this text
    #[arg(long)]
    only: Option<String>,
    /// Print a JSON record instead of a table
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(report) => {
            let text = if args.json { report.to_json() } else { report.to_table() };
            report::print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            report::complain(&format!("error: {error}"));
            ExitCode::from(3)
        }
    }
}

fn run(args: &Args) -> Result<Report, Box<dyn std::error::Error>> {
    let programs = programs::build()?;
    let mut report = Report::new(args.specs, args.rounds.max(5));
    for row in rows::ALL {
        if args.only.as_ref().is_none_or(|only| row.name.contains(only.as_str())) {
            report::complain(&format!("measuring: {}", row.name));
            (row.measure)(&programs, &mut report)?;
        }
    }
    Ok(report)
}
