//! What the disk costs: a durable commit, a cold open, the binary itself.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hewto_engine::{Context, Start, Workspace, plan, spec};

use super::Outcome;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, time};

/// `plan_create` writes three files: the plan, the state, and the front matter's copy of the state stays.
pub(super) fn commit(_: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), 3)?;
    let ws = Workspace::discover(Start::Here(folder.path()))?;
    let ctx = Context::background();
    let bare = folder.path().join("bare");
    fs_err::create_dir_all(&bare)?;
    let mut n = 0;
    let (ours, control) = in_turns(
        report.rounds * 5,
        || {
            n += 1;
            let new = spec::NewSpec {
                title: format!("Commit {n}"),
                description: "measured".to_owned(),
                ..spec::NewSpec::default()
            };
            let id = spec::create(&ws, &ctx, &new)?.spec_id;
            let new = plan::NewPlan {
                approach: "Directly".to_owned(),
                steps: vec![plan::StepInput {
                    title: "Do it".to_owned(),
                    description: "Whole".to_owned(),
                    complexity: None,
                }],
            };
            let mut outcome = Ok(());
            let took = time(|| outcome = plan::create(&ws, &ctx, &id, &new).map(drop));
            outcome?;
            Ok(took)
        },
        || bare_fsyncs(&bare),
    )?;
    report.times(
        "commit of two files, durable",
        ours,
        Some((control, "the same files written and fsynced bare")),
        "≤ 2 ×",
    );
    Ok(())
}

/// What durability costs at the very least: write two files beside their place, fsync them, rename them into
/// place, fsync their folder.
pub(super) fn bare_fsyncs(folder: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut outcome = Ok(());
    let took = time(|| {
        outcome = (|| {
            for name in ["plan.md", "state.toon"] {
                let beside = folder.join(format!("{name}.new"));
                let mut file = fs_err::File::create(&beside)?;
                file.write_all(&[b'x'; 400])?;
                file.sync_all()?;
                fs_err::rename(&beside, folder.join(name))?;
            }
            fs_err::File::open(folder)?.sync_all()
        })();
    });
    outcome?;
    Ok(took)
}

pub(super) fn cold_open(_: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::workspace(folder.path(), report.specs)?;
    let ctx = Context::background();
    let (ours, control) = in_turns(
        report.rounds,
        || {
            let mut outcome = Ok(());
            let took = time(|| {
                outcome = Workspace::discover(Start::Here(folder.path()))
                    .and_then(|ws| spec::index(&ws, &ctx).map(drop));
            });
            outcome?;
            Ok(took)
        },
        || cat(&folder.path().join("specs")),
    )?;
    report.times("cold open, all specs", ours, Some((control, "find | xargs cat")), "≤ 1.5 ×");
    Ok(())
}

fn cat(folder: &Path) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut outcome = Err(std::io::Error::other("not run"));
    let took = time(|| {
        outcome = Command::new("sh")
            .args(["-c", "find \"$0\" -type f -print0 | xargs -0 cat >/dev/null"])
            .arg(folder)
            .stdin(Stdio::null())
            .status();
    });
    if outcome?.success() { Ok(took) } else { Err("cat failed".into()) }
}

pub(super) fn binary(programs: &Programs, report: &mut Report) -> Outcome {
    let bytes = fs_err::metadata(&programs.hewto)?.len();
    report.add("release binary", bytes as f64 / (1024.0 * 1024.0), None, "MiB", "≤ 20 MB without the model");
    Ok(())
}
