//! Measures hewto beside controls of the same run and prints a table or, with `--json`, a record.
//!
//! A time by itself says little on a machine that others share; a ratio to a control measured in the same minute
//! says more. Nothing here asserts: `docs/bench.md` keeps what was measured.

#![expect(clippy::cast_precision_loss, reason = "figures are shown with three digits")]

mod client;
mod generate;
mod http;
mod programs;
mod quality;
mod report;
mod rows;
mod sample;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use report::Report;

/// Measure hewto beside controls of the same run
#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Option<Task>,
    /// How many specs the generated workspace has
    #[arg(long, default_value_t = 10_000)]
    specs: usize,
    /// How often a figure is taken; the median counts
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Measure only the rows whose name contains this text
    #[arg(long)]
    only: Option<String>,
    /// Measure this program instead of building one: for what does not depend on how it was built, such as tokens
    #[arg(long, value_name = "PATH")]
    hewto: Option<PathBuf>,
    /// Print a JSON record instead of a table
    #[arg(long)]
    json: bool,
}

/// Something else than times.
#[derive(Debug, clap::Subcommand)]
enum Task {
    /// Measure how well search finds what is meant, on a labelled set
    Quality {
        /// A folder with `specs/` and `queries.tsv`
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/quality"))]
        set: PathBuf,
        /// Another model than the bundled one: an ONNX file
        #[arg(long)]
        model: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let args = Args::parse();
    let text = match &args.task {
        Some(Task::Quality { set, model }) => quality::run(set, model.as_deref()),
        None => run(&args).map(|report| if args.json { report.to_json() } else { report.to_table() }),
    };
    match text {
        Ok(text) => {
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
    let programs = match &args.hewto {
        Some(hewto) => programs::Programs::given(hewto)?,
        None => programs::build()?,
    };
    let mut report = Report::new(args.specs, args.rounds.max(5));
    for row in rows::ALL {
        if args.only.as_ref().is_none_or(|only| row.name.contains(only.as_str())) {
            report::complain(&format!("measuring: {}", row.name));
            (row.measure)(&programs, &mut report)?;
        }
    }
    Ok(report)
}
