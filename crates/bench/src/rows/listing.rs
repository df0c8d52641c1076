//! Calls on a large workspace: lists, one spec among many, and the memory they take.

use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, statat};
use serde_json::json;

use super::Outcome;
use crate::client::Client;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{median, time};

/// Enough calls to compare the first thousand with the last.
const CALLS: usize = 10_000;
const THOUSAND: usize = 1_000;

pub(super) fn listing(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    let bytes = generate::workspace(folder.path(), report.specs)?;
    let mut hewto = Client::start(&programs.hewto, &["serve"], folder.path())?;
    let page = json!({ "limit": 50 });
    for _ in 0..3 {
        hewto.call("spec_list", &page)?;
    }
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let mut outcome = Ok(());
        times.push(time(|| outcome = hewto.call("spec_list", &page)));
        outcome?;
    }
    let first = median(&mut times[..THOUSAND].to_vec());
    let last = median(&mut times[CALLS - THOUSAND..].to_vec());
    let mut walks: Vec<Duration> = Vec::new();
    for _ in 0..report.rounds {
        walks.push(time(|| stat_walk(&folder.path().join("specs"))));
    }
    let walk = median(&mut walks);
    let all = median(&mut times);
    report.times(
        "`spec_list`, warm",
        all,
        Some((walk, "two-thread stat walk")),
        "p50 ≤ 5 ms with inotify, else ≤ 1.5 ×",
    );
    report.times("calls 9,001–10,000", last, Some((first, "calls 1–1,000")), "≤ 1.2 ×");

    let one = json!({ "spec_id": generate::id(report.specs / 2) });
    let mut times = Vec::new();
    for _ in 0..THOUSAND {
        let mut outcome = Ok(());
        times.push(time(|| outcome = hewto.call("spec_status", &one)));
        outcome?;
    }
    report.times("`spec_status` of one spec", median(&mut times), None, "p50 ≤ 1 ms");

    let mib = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
    let resident = resident_bytes(hewto.pid())?;
    report.add(
        "memory with all specs open",
        mib(resident),
        Some((mib(bytes), "bytes of the specs")),
        "MiB",
        "≤ 1.5 ×",
    );
    Ok(())
}

/// What any scan has to do at least: look into every folder and stat every file, on two threads.
fn stat_walk(specs: &Path) -> usize {
    let names: Vec<_> = fs_err::read_dir(specs)
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    let halves = names.split_at(names.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| stat_folders(halves.0));
        stat_folders(halves.1) + other.join().unwrap_or(0)
    })
}

fn stat_folders(folders: &[std::path::PathBuf]) -> usize {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut files = 0;
    for folder in folders {
        let Ok(handle) = openat(rustix::fs::CWD, folder, flags, Mode::empty()) else { continue };
        let Ok(entries) = Dir::read_from(handle.as_fd()) else { continue };
        for entry in entries.flatten() {
            files +=
                usize::from(statat(handle.as_fd(), entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).is_ok());
        }
    }
    files
}

pub(super) fn resident_bytes(pid: u32) -> Result<u64, Box<dyn std::error::Error>> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        text.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS in the process status")?;
    let kib: u64 = line.split_whitespace().nth(1).ok_or("VmRSS without a number")?.parse()?;
    Ok(kib * 1024)
}
