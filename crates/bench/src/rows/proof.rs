//! Links and promises: the scan of a large tree beside ripgrep, and the table of all specs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::generate;
use crate::programs::Programs;
use crate::report::{self, Report};
use crate::sample::{in_turns, median, time};

/// How many source files the tree of the scan has.
pub(super) const FILES: usize = 50_000;
/// Every so many files carry a tag.
const TAGGED: usize = 500;

/// Whole processes, cold (nothing remembered) and warm, beside `rg @spec`.
pub(super) fn links(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    generate::workspace(root, 10)?;
    sources(root)?;
    let cache = root.join(".hewto/cache/links");
    let ours = |programs: &Programs| run(Command::new(&programs.hewto).args(["link", "--json"]), root);
    if run(Command::new("rg").args(["--hidden", "-l", "@spec"]), root).is_err() {
        report::complain("left out: there is no `rg` to compare the link scan with");
        return Ok(());
    }
    let rg = || run(Command::new("rg").args(["--hidden", "-l", "@spec"]), root);
    let (cold, control) = in_turns(
        report.rounds,
        || {
            let _ = fs_err::remove_file(&cache);
            ours(programs)
        },
        rg,
    )?;
    let name = format!("link scan of {FILES} files, whole process");
    report.times(&format!("{name}, nothing remembered"), cold, Some((control, "`rg -l @spec`")), "≤ 1.5 ×");
    // Stamps of a moment ago prove nothing: the scan that is remembered has to be older than they are.
    std::thread::sleep(Duration::from_millis(2_500));
    ours(programs)?;
    let (warm, control) = in_turns(report.rounds, || ours(programs), rg)?;
    report.times(&format!("{name}, warm"), warm, Some((control, "`rg -l @spec`")), "≤ 0.75 ×");
    // Once there is a run, how promises stand depends on the tree: each file is read and hashed in the same walk.
    recorded_run(programs, root)?;
    let (digest, control) = in_turns(
        report.rounds,
        || {
            let _ = fs_err::remove_file(&cache);
            run(Command::new(&programs.hewto).args(["proof", "--state", "verified", "--json"]), root)
        },
        rg,
    )?;
    let name = format!("{name} with the digest of the tree, nothing remembered");
    report.times(&name, digest, Some((control, "`rg -l @spec`")), "≤ 1.7 ×");
    Ok(())
}

/// A run that passes, so that there is a record.
fn recorded_run(programs: &Programs, root: &Path) -> Outcome {
    let settings = "policy = \"warn\"\n[check.nothing]\nrun = [\"true\"]\nformat = \"exit\"\n";
    fs_err::write(root.join(".hewto/proof.toml"), settings)?;
    let trusted = hewto_core::proof::settings::digest(settings.as_bytes());
    run(Command::new(&programs.hewto).args(["proof", "run", "--trust", &trusted]), root)?;
    Ok(())
}

/// Every promise of the large workspace, and one of them.
pub(super) fn matrix(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), report.specs)?;
    let mut all = Vec::new();
    for _ in 0..report.rounds {
        let mut command = Command::new(&programs.hewto);
        all.push(run(command.args(["proof", "--state", "verified"]), folder.path())?);
    }
    let name = format!("matrix of {} specs, whole process", report.specs);
    report.times(&name, median(&mut all), None, "≤ 1 s");
    let mut server = Client::start(&programs.hewto, &["serve", "--toolsets", "all"], folder.path())?;
    let reference = json!({ "ref": generate::reference(0) });
    // Stamps of a moment ago prove nothing; the first call is the one that reads everything.
    std::thread::sleep(Duration::from_millis(2_500));
    server.call("proof_status", &reference)?;
    let (mut one, mut control) = (Vec::new(), Vec::new());
    for _ in 0..report.rounds * 5 {
        let mut outcome = Ok(());
        one.push(time(|| outcome = server.call("proof_status", &reference)));
        outcome?;
        let mut outcome = Ok(());
        control.push(time(|| outcome = server.call("spec_status", &json!({ "spec_id": generate::id(0) }))));
        outcome?;
    }
    let control = median(&mut control);
    report.times(
        &format!("`proof_status` of one ref among {} specs", report.specs),
        median(&mut one),
        Some((control, "`spec_status` of its spec")),
        "≤ 5 ms",
    );
    Ok(())
}

pub(super) fn sources(root: &Path) -> std::io::Result<()> {
    let body = "fn work(a: u32, b: u32) -> u32 {\n    let sum = a + b;\n    sum * 2\n}\n\n".repeat(40);
    for n in 0..FILES {
        let folder = root.join(format!("src/m{}/n{}", n / 1000, n / 50 % 20));
        if n % 50 == 0 {
            fs_err::create_dir_all(&folder)?;
        }
        let tag = if n % TAGGED == 0 { "// @spec nothing#here\n" } else { "" };
        fs_err::write(folder.join(format!("f{n}.rs")), format!("{tag}{body}"))?;
    }
    Ok(())
}

/// Runs a program; what it answers is its own matter, that it ends well enough is ours.
pub(super) fn run(command: &mut Command, folder: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut outcome = Err(std::io::Error::other("not run"));
    let took = time(|| outcome = command.status());
    match outcome?.code() {
        Some(0 | 1) => Ok(took),
        _ => Err(format!("{command:?} failed").into()),
    }
}
