//! Files and git beside the servers that people use for them, on a repository of 50,000 files.
//!
//! The peers are taken from `PATH`: `mcp-server-filesystem` (npm, `@modelcontextprotocol/server-filesystem`),
//! `mcp-server-git` (PyPI) and `rg`. A peer that is not there leaves its column empty.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Outcome;
use crate::client::Client;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, median, time};

const FOLDERS: usize = 500;
const FILES: usize = 100;
/// Calls in one round of a quick call.
const QUICK: usize = 200;
/// Calls in one round of a call that looks at everything.
const SLOW: usize = 3;
const FASTER: &str = "≥ 3 × as fast";

type Taken = Result<Duration, Box<dyn std::error::Error>>;

pub(super) fn workstation(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    let root = fs_err::canonicalize(folder.path())?;
    repository(&root)?;
    let root_text = root.to_str().ok_or("the temporary folder has a strange name")?;
    let ours = ["serve", "--toolsets", "workstation", "--root", root_text, "--log-dir"];
    let logs = tempfile::tempdir()?;
    let logs = logs.path().to_str().ok_or("the temporary folder has a strange name")?;
    let mut hewto = Client::start(&programs.hewto, &[&ours[..], &[logs]].concat(), &root)?;
    files(&mut hewto, &root, root_text, report)?;
    search(&mut hewto, &root, report)?;
    git(&mut hewto, &root, root_text, report)
}

fn files(hewto: &mut Client, root: &Path, root_text: &str, report: &mut Report) -> Outcome {
    let mut peer = match on_path("mcp-server-filesystem") {
        Some(program) => Some(Client::start(&program, &[root_text], root)?),
        None => None,
    };
    let file = format!("{root_text}/{}", file_name(7, 7));
    let listed = format!("{root_text}/{}", folder_name(7));
    let all = json!({ "path": root_text, "limit": 1000, "max_chars": 2_000_000 });
    for (name, calls, tool, arguments, theirs, their_arguments) in [
        ("read a file", QUICK, "fs_read", json!({ "path": file }), "read_text_file", json!({ "path": file })),
        (
            "list a folder",
            QUICK,
            "fs_list",
            json!({ "path": listed }),
            "list_directory",
            json!({ "path": listed }),
        ),
        ("the tree of 50,000 files", SLOW, "fs_tree", all, "directory_tree", json!({ "path": root_text })),
        (
            "find by name",
            SLOW,
            "fs_find",
            json!({ "path": root_text, "pattern": "*7.rs" }),
            "search_files",
            json!({ "path": root_text, "pattern": "**/*7.rs" }),
        ),
    ] {
        let ours = || call(hewto, calls, tool, &arguments);
        match &mut peer {
            Some(peer) => {
                let (ours, control) =
                    in_turns(report.rounds, ours, || call(peer, calls, theirs, &their_arguments))?;
                report.times(name, ours, Some((control, "server-filesystem")), FASTER);
            }
            None => alone(name, ours, report)?,
        }
    }
    Ok(())
}

fn search(hewto: &mut Client, root: &Path, report: &mut Report) -> Outcome {
    let needle = "needle_4711";
    let arguments = json!({ "query": needle });
    let ours = || call(hewto, SLOW, "fs_search", &arguments);
    let name = "search in 50,000 files";
    match on_path("rg") {
        Some(rg) => {
            let options = ["--json", "--fixed-strings", "--hidden", needle];
            let (ours, control) = in_turns(report.rounds, ours, || bare(&rg, &options, root, SLOW))?;
            report.times(name, ours, Some((control, "rg")), "≤ 1.5 ×");
            Ok(())
        }
        None => alone(name, ours, report),
    }
}

fn git(hewto: &mut Client, root: &Path, root_text: &str, report: &mut Report) -> Outcome {
    let program = on_path("git").ok_or("git is not on PATH")?;
    let status = ["status", "--porcelain=v2", "--branch", "-z"];
    let log = ["log", "-z", "--max-count=10", "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%s%x00%b"];
    let diff = ["diff"];
    for (name, calls, tool, arguments, options) in [
        ("status of 50,000 files", SLOW, "git_status", json!({}), &status[..]),
        ("diff of one changed file", SLOW, "git_diff", json!({}), &diff[..]),
        ("log, 10 commits", QUICK / 10, "git_log", json!({ "limit": 10 }), &log[..]),
    ] {
        let ours = || call(hewto, calls, tool, &arguments);
        let (ours, control) = in_turns(report.rounds, ours, || bare(&program, options, root, calls))?;
        report.times(name, ours, Some((control, "bare git")), "≤ 1.2 ×");
    }
    let Some(program) = on_path("mcp-server-git") else { return Ok(()) };
    let mut peer = Client::start(&program, &["--repository", root_text], root)?;
    for (name, calls, tool, arguments, theirs, their_arguments) in [
        (
            "status, beside the peer",
            SLOW,
            "git_status",
            json!({}),
            "git_status",
            json!({ "repo_path": root_text }),
        ),
        (
            "log, beside the peer",
            QUICK / 10,
            "git_log",
            json!({ "limit": 10 }),
            "git_log",
            json!({ "repo_path": root_text, "max_count": 10 }),
        ),
    ] {
        let ours = || call(hewto, calls, tool, &arguments);
        let (ours, control) =
            in_turns(report.rounds, ours, || call(&mut peer, calls, theirs, &their_arguments))?;
        report.times(name, ours, Some((control, "mcp-server-git")), "≥ 3 ×, but for what git takes");
    }
    Ok(())
}

/// A figure without a control.
fn alone(name: &str, mut ours: impl FnMut() -> Taken, report: &mut Report) -> Outcome {
    let mut times = (0..report.rounds).map(|_| ours()).collect::<Result<Vec<_>, _>>()?;
    report.times(name, median(&mut times), None, FASTER);
    Ok(())
}

fn call(client: &mut Client, calls: usize, tool: &str, arguments: &Value) -> Taken {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let mut outcome = Ok(());
        times.push(time(|| outcome = client.call(tool, arguments)));
        outcome?;
    }
    Ok(median(&mut times))
}

/// The same work by the program itself, its start included.
fn bare(program: &Path, options: &[&str], folder: &Path, calls: usize) -> Taken {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let mut outcome = Ok(());
        times.push(time(|| {
            outcome = Command::new(program)
                .args(options)
                .current_dir(folder)
                .stdin(Stdio::null())
                .output()
                .map(drop);
        }));
        outcome?;
    }
    Ok(median(&mut times))
}

/// 50,000 files of a kilobyte in 500 folders, committed; one is changed, one is new.
fn repository(root: &Path) -> Outcome {
    for folder in 0..FOLDERS {
        fs_err::create_dir_all(root.join(folder_name(folder)))?;
        for file in 0..FILES {
            let number = folder * FILES + file;
            let line = format!(
                "pub fn function_{number}(session: &Session) -> Ledger {{ session.ledger({number}) }}\n"
            );
            let mut text = line.repeat(12);
            if number % 5_000 == 4_711 {
                text.push_str("// needle_4711\n");
            }
            fs_err::write(root.join(file_name(folder, file)), text)?;
        }
    }
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message=First"]] {
        let identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0"];
        let status = Command::new("git").args(identity).args(arguments).current_dir(root).status()?;
        if !status.success() {
            return Err(format!("git {} failed", arguments.join(" ")).into());
        }
    }
    fs_err::write(root.join(file_name(1, 1)), "changed\n")?;
    fs_err::write(root.join("new.rs"), "new\n")?;
    Ok(())
}

fn folder_name(folder: usize) -> String {
    format!("crate_{}/module_{}", folder / 50, folder % 50)
}

fn file_name(folder: usize, file: usize) -> String {
    format!("{}/file_{file}.rs", folder_name(folder))
}

#[expect(clippy::disallowed_methods, reason = "the peers are programs of the machine that measures")]
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
