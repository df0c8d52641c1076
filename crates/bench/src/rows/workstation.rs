//! Files and git beside the servers that people use for them, on a repository of 50,000 files.
//!
//! The peers are taken from `PATH`: `mcp-server-filesystem` (npm, `@modelcontextprotocol/server-filesystem`),
//! `mcp-server-git` (PyPI) and `rg`. A peer that is not there leaves its column empty.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{in_turns, median, time};

const FOLDERS: usize = 500;
const FILES: usize = 100;
const COMMITS: usize = 50;
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
    let file = json!({ "path": format!("{root_text}/{}", file_name(7, 7)) });
    let folder = json!({ "path": format!("{root_text}/{}", folder_name(7)) });
    let whole = json!({ "path": root_text, "limit": 100_000, "max_chars": 2_000_000 });
    // What we leave out is left out by all.
    let top = json!({ "path": root_text, "excludePatterns": [".git"] });
    let found = json!({ "path": root_text, "pattern": "*7.rs", "limit": 1000, "max_chars": 2_000_000 });
    let their_found = json!({ "path": root_text, "pattern": "**/*7.rs", "excludePatterns": [".git"] });
    for (name, calls, ours, theirs) in [
        ("read a file", QUICK, ("fs_read", &file), ("read_text_file", &file)),
        ("list 100 files with sizes", QUICK, ("fs_list", &folder), ("list_directory_with_sizes", &folder)),
        ("list 100 files without sizes", QUICK, ("list_directory", &folder), ("list_directory", &folder)),
        ("tree, all 50,511 entries", SLOW, ("fs_tree", &whole), ("directory_tree", &top)),
        ("find 5,000 of 50,000 files by name", SLOW, ("fs_find", &found), ("search_files", &their_found)),
    ] {
        // Theirs comes whole, so ours is asked for to its last page.
        let ours = || repeated(calls, || hewto.call_through(ours.0, ours.1));
        match &mut peer {
            Some(peer) => {
                let theirs = || repeated(calls, || peer.call(theirs.0, theirs.1));
                let (ours, control) = in_turns(report.rounds, ours, theirs)?;
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
    let ours = || repeated(SLOW, || hewto.call("fs_search", &arguments));
    let name = "search in 50,000 files";
    match on_path("rg") {
        Some(rg) => {
            let options = ["--json", "--fixed-strings", "--hidden", "--glob=!.git", needle];
            let bare = || repeated(SLOW, || bare(&rg, &options, root));
            let (ours, control) = in_turns(report.rounds, ours, bare)?;
            report.times(name, ours, Some((control, "rg")), "≤ 1.5 ×");
            Ok(())
        }
        None => alone(name, ours, report),
    }
}

fn git(hewto: &mut Client, root: &Path, root_text: &str, report: &mut Report) -> Outcome {
    let program = on_path("git").ok_or("git is not on PATH")?;
    let status: &[&str] = &["status", "--porcelain=v2", "--branch", "-z"];
    let format = "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%s%x00%b";
    let log: &[&str] = &["log", "-z", "--max-count=100", format];
    let page: &[&str] = &["log", "-z", "--max-count=10", format];
    let count: &[&str] = &["rev-list", "--count", "HEAD"];
    for (name, calls, tool, arguments, commands) in [
        ("status of 50,000 files", SLOW, "git_status", json!({}), &[status][..]),
        ("diff of one changed file", SLOW, "git_diff", json!({}), &[&["diff"]]),
        ("log, all 50 commits", QUICK / 10, "git_log", json!({ "limit": 100 }), &[log]),
        (
            "log, 10 of 50 commits, and their number",
            QUICK / 10,
            "git_log",
            json!({ "limit": 10 }),
            &[page, count],
        ),
    ] {
        let ours = || repeated(calls, || hewto.call(tool, &arguments));
        let bare =
            || repeated(calls, || commands.iter().try_for_each(|options| bare(&program, options, root)));
        let (ours, control) = in_turns(report.rounds, ours, bare)?;
        report.times(name, ours, Some((control, "bare git")), "≤ 1.2 ×");
    }
    let Some(program) = on_path("mcp-server-git") else { return Ok(()) };
    let mut peer = Client::start(&program, &["--repository", root_text], root)?;
    for (name, calls, tool, arguments, theirs) in [
        ("status, beside the peer", SLOW, "git_status", json!({}), json!({ "repo_path": root_text })),
        (
            "log of 10 commits, beside the peer",
            QUICK / 10,
            "git_log",
            json!({ "limit": 10 }),
            json!({ "repo_path": root_text, "max_count": 10 }),
        ),
    ] {
        let ours = || repeated(calls, || hewto.call(tool, &arguments));
        let theirs = || repeated(calls, || peer.call(tool, &theirs));
        let (ours, control) = in_turns(report.rounds, ours, theirs)?;
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

/// The median time of something done so often.
fn repeated(calls: usize, mut once: impl FnMut() -> std::io::Result<()>) -> Taken {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let mut outcome = Ok(());
        times.push(time(|| outcome = once()));
        outcome?;
    }
    Ok(median(&mut times))
}

/// The same work by the program itself, its start included.
fn bare(program: &Path, options: &[&str], folder: &Path) -> std::io::Result<()> {
    Command::new(program).args(options).current_dir(folder).stdin(Stdio::null()).output().map(drop)
}

/// 50,000 files of a kilobyte in 500 folders, fifty commits; one file is changed, one is new.
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
    let more = ["commit", "--quiet", "--allow-empty", "--message=More"];
    let first = [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message=First"]];
    for arguments in first.into_iter().chain([&more[..]; COMMITS - 1]) {
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
