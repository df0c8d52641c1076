//! Walks a tree by descriptor, on several threads, and never through a link.
//!
//! Folders wait on a stack, not in a queue, so that only the folders on the way down stay open. `.git` and what the
//! rules leave out are not entered. A folder that cannot be read is counted and passed over.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use hewto_core::interrupt::Interrupted;
use ignore::gitignore::Gitignore;
use rustix::fs::FileType;
use serde::Deserialize;

use super::rules::{Rules, as_path};
use crate::call::Call;
use crate::confine::{Folder, entries, is_git_name, is_kernel_file_system, open_child_folder};
use crate::error::Result;
use crate::station::Workstation;

/// Files of one folder are handed out in parts, so that a large folder keeps all threads busy.
const BATCH: usize = 256;

/// Whether what `.gitignore` leaves out is left out here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "bool")]
pub enum Ignored {
    #[default]
    Skip,
    Show,
}

impl From<bool> for Ignored {
    fn from(included: bool) -> Self {
        if included { Self::Show } else { Self::Skip }
    }
}

/// How to walk.
#[derive(Debug)]
pub(super) struct WalkRules {
    /// How many levels down; the entries of the start are level 1.
    pub(super) depth: Option<usize>,
    pub(super) exclude: Gitignore,
    pub(super) ignored: Ignored,
}

/// One entry, while its folder is open.
#[derive(Debug)]
pub(super) struct Met<'w> {
    pub(super) folder: &'w OwnedFd,
    pub(super) name: &'w OsStr,
    /// From the start of the walk.
    pub(super) path: &'w [u8],
    pub(super) kind: FileType,
}

/// What the walk left out beside what it was told to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Folders that could not be read.
    pub(super) unreadable: usize,
    /// Whether the walk stopped because there are too many entries.
    pub(super) incomplete: bool,
}

/// Shows every entry to `visit`, which keeps what it needs in its thread's own state.
pub(super) fn walk<S: Send>(
    station: &Workstation,
    call: &Call<'_>,
    start: Folder,
    rules: &WalkRules,
    state: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, &Met<'_>) -> Result<(), Interrupted> + Sync,
) -> Result<(Vec<S>, Gaps)> {
    let above = match rules.ignored {
        Ignored::Skip => Rules::above(station.roots(), &start),
        Ignored::Show => None,
    };
    let first = Task::Folder { open: Arc::new(start.fd), path: vec![], level: 1, rules: above };
    let shared = Shared {
        stack: Mutex::new(Stack { tasks: vec![first], busy: 0 }),
        changed: Condvar::new(),
        met: AtomicUsize::new(0),
        most: station.limits().walk_entries,
        unreadable: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        rules,
        call,
    };
    let work = || {
        let mut own = state();
        shared.work(&mut own, &visit).map(|()| own)
    };
    let states = std::thread::scope(|scope| {
        // Where fewer threads can be had, those that there are do it all.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..station.limits().threads).map_while(start).collect();
        let mut states = vec![work()];
        states.extend(others.into_iter().map(|other| {
            other.join().unwrap_or_else(|panic| {
                shared.stop();
                std::panic::resume_unwind(panic)
            })
        }));
        states
    });
    let states = states.into_iter().collect::<Result<Vec<S>, Interrupted>>()?;
    let gaps = Gaps {
        unreadable: shared.unreadable.load(Ordering::Relaxed),
        incomplete: shared.met.load(Ordering::Relaxed) > shared.most,
    };
    Ok((states, gaps))
}

enum Task {
    /// A folder to read; the start of the walk, or one that was met.
    Folder { open: Arc<OwnedFd>, path: Vec<u8>, level: usize, rules: Option<Arc<Rules>> },
    /// A folder still to be opened.
    Enter { parent: Arc<OwnedFd>, name: OsString, path: Vec<u8>, level: usize, rules: Option<Arc<Rules>> },
    /// Files to visit.
    Files { folder: Arc<OwnedFd>, files: Vec<(OsString, FileType)>, prefix: Vec<u8> },
}

struct Stack {
    tasks: Vec<Task>,
    /// Threads that may still push tasks.
    busy: usize,
}

struct Shared<'w> {
    stack: Mutex<Stack>,
    changed: Condvar,
    met: AtomicUsize,
    most: usize,
    unreadable: AtomicUsize,
    stopped: AtomicBool,
    rules: &'w WalkRules,
    call: &'w Call<'w>,
}

impl Shared<'_> {
    fn work<S>(
        &self,
        state: &mut S,
        visit: &impl Fn(&mut S, &Met<'_>) -> Result<(), Interrupted>,
    ) -> Result<(), Interrupted> {
        // Whatever way this thread ends, the others must not wait for it.
        let _ends = StopOnUnwind(self);
        while let Some(task) = self.next() {
            let done = self.call.check().and_then(|()| self.perform(task, state, visit));
            self.finish();
            if let Err(why) = done {
                self.stop();
                return Err(why);
            }
        }
        Ok(())
    }

    /// The next task; waits while others may still find some.
    fn next(&self) -> Option<Task> {
        let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if self.stopped.load(Ordering::Acquire) {
                return None;
            }
            if let Some(task) = stack.tasks.pop() {
                stack.busy += 1;
                return Some(task);
            }
            if stack.busy == 0 {
                return None;
            }
            stack = self.changed.wait(stack).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self) {
        let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
        stack.busy -= 1;
        if stack.busy == 0 && stack.tasks.is_empty() {
            self.changed.notify_all();
        }
    }

    fn push(&self, tasks: Vec<Task>) {
        if !tasks.is_empty() {
            self.stack.lock().unwrap_or_else(PoisonError::into_inner).tasks.extend(tasks);
            self.changed.notify_all();
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        // Taken once, so that nobody misses the flag between looking and waiting.
        drop(self.stack.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn perform<S>(
        &self,
        task: Task,
        state: &mut S,
        visit: &impl Fn(&mut S, &Met<'_>) -> Result<(), Interrupted>,
    ) -> Result<(), Interrupted> {
        match task {
            Task::Folder { open, path, level, rules } => self.read(&open, &path, level, rules, state, visit),
            Task::Enter { parent, name, path, level, rules } => {
                let open = open_child_folder(&*parent, &name).ok();
                if let Some(fd) = open.filter(|fd| !is_kernel_file_system(fd)) {
                    return self.read(&Arc::new(fd), &path, level, rules, state, visit);
                }
                self.unreadable.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Task::Files { folder, files, prefix } => visit_all(&folder, &files, &prefix, state, visit),
        }
    }

    fn read<S>(
        &self,
        folder: &Arc<OwnedFd>,
        path: &[u8],
        level: usize,
        above: Option<Arc<Rules>>,
        state: &mut S,
        visit: &impl Fn(&mut S, &Met<'_>) -> Result<(), Interrupted>,
    ) -> Result<(), Interrupted> {
        let Ok(names) = entries(&**folder).and_then(Iterator::collect::<rustix::io::Result<Vec<_>>>) else {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let has_rules = || names.iter().any(|(name, _)| name == ".gitignore" || name == ".git");
        let rules = match self.rules.ignored {
            Ignored::Skip if has_rules() => Rules::enter(above.as_ref(), folder, path),
            Ignored::Skip => above,
            Ignored::Show => None,
        };
        let prefix = if path.is_empty() { vec![] } else { [path, b"/"].concat() };
        let mut folders = Vec::new();
        let mut files = Vec::new();
        let mut full = prefix.clone();
        for (name, kind) in names {
            full.truncate(prefix.len());
            full.extend_from_slice(name.as_bytes());
            let is_folder = kind == FileType::Directory;
            if is_git_name(&name)
                || rules.as_ref().is_some_and(|rules| rules.ignore(&full, is_folder))
                || self.rules.exclude.matched(as_path(&full), is_folder).is_ignore()
            {
                continue;
            }
            let met = self.met.fetch_add(1, Ordering::Relaxed);
            if met >= self.most {
                self.met.fetch_add(1, Ordering::Relaxed);
                self.stop();
                break;
            }
            if is_folder {
                visit(state, &Met { folder, name: &name, path: &full, kind })?;
                if self.rules.depth.is_none_or(|depth| level < depth) {
                    folders.push(Task::Enter {
                        parent: folder.clone(),
                        name,
                        path: full.clone(),
                        level: level + 1,
                        rules: rules.clone(),
                    });
                }
            } else {
                files.push((name, kind));
            }
        }
        self.push(folders);
        let mut batches = files.chunks(BATCH);
        let own = batches.next();
        self.push(
            batches
                .map(|batch| Task::Files {
                    folder: folder.clone(),
                    files: batch.to_vec(),
                    prefix: prefix.clone(),
                })
                .collect(),
        );
        visit_all(folder, own.unwrap_or_default(), &prefix, state, visit)
    }
}

fn visit_all<S>(
    folder: &Arc<OwnedFd>,
    files: &[(OsString, FileType)],
    prefix: &[u8],
    state: &mut S,
    visit: &impl Fn(&mut S, &Met<'_>) -> Result<(), Interrupted>,
) -> Result<(), Interrupted> {
    let mut path = prefix.to_vec();
    for (name, kind) in files {
        path.truncate(prefix.len());
        path.extend_from_slice(name.as_bytes());
        visit(state, &Met { folder, name, path: &path, kind: *kind })?;
    }
    Ok(())
}

/// Ends the walk when its thread panics, so that the scope can end too.
struct StopOnUnwind<'s, 'w>(&'s Shared<'w>);

impl Drop for StopOnUnwind<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
