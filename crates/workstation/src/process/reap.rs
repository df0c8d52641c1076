//! Ends a child with everything that it started.
//!
//! The group takes nearly all. A process that left the group still carries the mark of its run in its environment,
//! and is found by it where the system shows that.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The children that live, so that none outlives the server.
static LIVING: Mutex<Option<HashMap<i32, String>>> = Mutex::new(None);
/// Whether children may still be started.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Ends every child with everything that it started, and starts no more. For the end of the server.
pub fn shut_down() {
    CLOSED.store(true, Ordering::SeqCst);
    for (pid, mark) in living().take().unwrap_or_default() {
        if let Some(pid) = Pid::from_raw(pid) {
            kill_group(pid);
        }
        kill_marked(&mark);
    }
}

pub(super) fn is_closed() -> bool {
    CLOSED.load(Ordering::SeqCst)
}

/// Remembers a child that was started.
pub(super) fn born(pid: Pid, mark: &str) {
    living().get_or_insert_default().insert(pid.as_raw_nonzero().get(), mark.to_owned());
}

/// Forgets a child before it is waited for; from then on its number may be another's.
pub(super) fn gone(pid: Pid) {
    living().get_or_insert_default().remove(&pid.as_raw_nonzero().get());
}

fn living() -> MutexGuard<'static, Option<HashMap<i32, String>>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

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
