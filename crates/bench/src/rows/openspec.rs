//! Beside OpenSpec on its own repositories: a verdict on every spec, and what it has no answer to: overlaps.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Outcome;
use crate::generate;
use crate::programs::Programs;
use crate::report::{self, Report};
use crate::sample::{in_turns, median, time};

/// How many open changes are compared.
const CHANGES: usize = 1_000;

/// Whole processes, from their start to their verdict.
pub(super) fn validate(programs: &Programs, report: &mut Report) -> Outcome {
    let Some(reference) = reference()? else {
        report::complain("left out: OpenSpec could not be installed");
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    generate::openspec(folder.path(), report.specs, 0)?;
    let (ours, control) = in_turns(
        report.rounds,
        || run(Command::new(&programs.hewto).arg("validate"), folder.path()),
        || {
            let mut command = Command::new("node");
            command.arg(&reference).args(["validate", "--all", "--no-interactive"]);
            command.env("OPENSPEC_TELEMETRY", "0").env("DO_NOT_TRACK", "1");
            run(&mut command, folder.path())
        },
    )?;
    let control = Some((control, "`openspec validate --all`"));
    report.times("validate all specs, whole process", ours, control, "≤ 0.125 × (8 × as fast)");
    Ok(())
}

pub(super) fn overlaps(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::openspec(folder.path(), CHANGES / 10, CHANGES)?;
    let mut times = Vec::new();
    for _ in 0..report.rounds {
        times.push(run(Command::new(&programs.hewto).args(["change", "overlaps"]), folder.path())?);
    }
    report.times("overlaps among 1,000 open changes, whole process", median(&mut times), None, "< 1 s");
    Ok(())
}

/// Runs a program that must find nothing wrong.
fn run(command: &mut Command, folder: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut outcome = Err(std::io::Error::other("not run"));
    let took = time(|| outcome = command.status());
    if outcome?.success() { Ok(took) } else { Err(format!("{command:?} failed").into()) }
}

/// The program of the release that hewto is compared with, installed beside the built programs.
fn reference() -> Result<Option<PathBuf>, Box<dyn std::error::Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/openspec/install.sh");
    let installation = std::env::current_exe()?.with_file_name("openspec-reference");
    let run = Command::new(script).arg(&installation).stdin(Stdio::null()).stdout(Stdio::null()).status();
    let program = installation.join("node_modules/@fission-ai/openspec/bin/openspec.js");
    Ok(run.is_ok_and(|status| status.success()).then_some(program))
}
