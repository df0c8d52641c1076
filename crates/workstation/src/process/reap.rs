//! Ends a child with everything that it started.
//!
//! The group takes nearly all. A process that left the group still carries the mark of its run in its environment,
//! and is found by it where the system shows that.

use rustix::process::{Pid, Signal, kill_process_group};

/// Kills whatever is left of a group. The leader must not have been waited for, or its number may be another's.
pub(super) fn kill_group(leader: Pid) {
    // Nobody left is as good as killed.
    let _ = kill_process_group(leader, Signal::KILL);
}

/// How often the process table is searched: what is killed may have just forked.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 5;

/// Kills every process that carries the mark.
#[cfg(target_os = "linux")]
pub(super) fn kill_marked(mark: &str) {
    use rustix::process::kill_process;

    for _ in 0..ROUNDS {
        let marked = marked(mark);
        if marked.is_empty() {
            return;
        }
        for pid in marked {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<Pid> {
    use memchr::memmem;

    let Ok(processes) = fs_err::read_dir("/proc") else { return vec![] };
    let finder = memmem::Finder::new(mark);
    let own = rustix::process::getpid();
    processes
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let environment = fs_err::read(entry.path().join("environ")).ok()?;
            (pid != own && finder.find(&environment).is_some()).then_some(pid)
        })
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_marked(_: &str) {}
