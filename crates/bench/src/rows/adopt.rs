//! What a repository without specs shows: the whole inventory of a large tree beside ripgrep over the same files.

use std::process::Command;

use super::Outcome;
use super::proof::{FILES, run, sources};
use crate::programs::Programs;
use crate::report::{self, Report};
use crate::sample::in_turns;

/// Whole processes. The control counts, so that it reads every file to its end as the reader does.
pub(super) fn inventory(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    sources(root)?;
    let rg = || run(Command::new("rg").args(["-c", "sum"]), root);
    if rg().is_err() {
        report::complain("left out: there is no `rg` to compare the inventory with");
        return Ok(());
    }
    let ours = || run(Command::new(&programs.hewto).args(["adopt", "--list", "--json"]), root);
    let (ours, control) = in_turns(report.rounds, ours, rg)?;
    let name = format!("`adopt --list` of {FILES} files, whole process");
    report.times(&name, ours, Some((control, "`rg -c sum`")), "≤ 10 ×");
    Ok(())
}
