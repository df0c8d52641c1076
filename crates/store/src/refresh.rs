//! Keeps the snapshot fresh: a call that starts after an edit has finished sees it (D-9).
//!
//! Callers that arrive together share one pass, as long as it began after they arrived. From the second call of a
//! process on, watches tell what changed; one-shot commands never pay for setting them up.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hewto_core::id::SpecId;
use hewto_core::interrupt::Interrupted;
use rustix::fs::AtFlags;

use crate::beneath::Root;
use crate::context::Context;
use crate::doc::ReadError;
use crate::folder::{Looker, News};
use crate::index::{Index, Key};
use crate::layout::Layout;
use crate::path::RelPath;
use crate::scan::{Pass, Scope};
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::{Disk, Moment};
use crate::watch::{Report, Watcher, disk_of};

/// How often a caller that waits for another one's pass looks at its own deadline.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// How many specs that were asked for by name are remembered.
const MOST_NAMED: usize = 1024;

/// How a store learns of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// By watches where they can be trusted.
    Watches,
    /// By looking at every file.
    Scans,
}

#[derive(Debug)]
pub(crate) struct Refresh {
    disk: Disk,
    turn: Mutex<Turn>,
    done: Condvar,
    /// Belongs to whoever runs a pass.
    memory: Mutex<Memory>,
    /// What was found of specs that were asked for by name. Their stamps tell whether it still holds.
    named: Mutex<BTreeMap<SpecId, Arc<SpecEntry>>>,
}

#[derive(Debug, Default)]
struct Turn {
    running: bool,
    /// How many passes have begun.
    begun: u64,
    /// The latest pass that ended well, counted by when it began, and its result.
    latest: u64,
    snapshot: Arc<Snapshot>,
}

#[derive(Debug)]
struct Memory {
    index: Index,
    passes: u64,
    watching: Watching,
    /// Which folder each spec root was, to notice when another one takes its place.
    roots: Vec<Option<(u64, u64)>>,
    /// A pass was interrupted: the next one has to look at everything.
    torn: bool,
}

#[derive(Debug)]
enum Watching {
    NotYet,
    Active(Watcher),
    Never,
}

impl Refresh {
    pub(crate) fn new(layout: &Layout, root: &Root, means: Means) -> Self {
        let disk = slowest_disk(root, layout.spec_roots().iter().map(|spec_root| &spec_root.path));
        let watching =
            if disk == Disk::Local && means == Means::Watches { Watching::NotYet } else { Watching::Never };
        let memory =
            Memory { index: Index::new(layout), passes: 0, watching, roots: Vec::new(), torn: false };
        let (turn, named) = (Mutex::default(), Mutex::default());
        Self { disk, turn, done: Condvar::new(), memory: Mutex::new(memory), named }
    }

    pub(crate) fn snapshot(
        &self,
        context: &Context,
        layout: &Layout,
        root: &Root,
    ) -> Result<Arc<Snapshot>, ReadError> {
        context.check()?;
        let mut turn = self.turn();
        let arrival = turn.begun;
        loop {
            if turn.latest > arrival {
                return Ok(Arc::clone(&turn.snapshot));
            }
            if !turn.running {
                turn.running = true;
                turn.begun += 1;
                let running = Running { refresh: self, number: turn.begun };
                drop(turn);
                let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
                let snapshot = memory.refresh(context, layout, root, self.disk)?;
                drop(memory);
                running.ended_well(&snapshot);
                return Ok(snapshot);
            }
            turn = self.done.wait_timeout(turn, CHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            context.check()?;
        }
    }

    /// What the folders looked like for a snapshot, if nothing has changed since.
    pub(crate) fn trace(
        &self,
        context: &Context,
        layout: &Layout,
        root: &Root,
        snapshot: &Snapshot,
    ) -> Result<Option<Vec<u8>>, Interrupted> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.torn || memory.index.snapshot().generation != snapshot.generation {
            return Ok(None);
        }
        // What has just changed, and what only watches have told of, has no stamp that vouches for it: a look now does, if nothing is
        // told of after it.
        let seen = memory.index.look_at_unproven(layout, root, Moment::now(self.disk));
        if !seen.is_empty() {
            let passes = memory.passes;
            memory.refresh(context, layout, root, self.disk)?;
            if memory.passes != passes {
                return Ok(None);
            }
            memory.index.vouch(seen);
        }
        Ok(memory.index.trace(layout))
    }

    /// Looks at one spec only, helped by what was found of it before.
    pub(crate) fn entry(&self, layout: &Layout, root: &Root, id: &SpecId) -> Option<Arc<SpecEntry>> {
        let named = self.named().get(id).cloned();
        let known = named.or_else(|| self.turn().snapshot.get(id).cloned());
        let found = layout.spec_folders(id).find_map(|(root_index, _)| {
            let spec_root = &layout.spec_roots()[root_index];
            let fd = root.open_dir(Some(&spec_root.path)).ok()?;
            let moment = Moment::now(self.disk);
            let looker = Looker { root, spec_root, root_index, fd: fd.as_fd(), moment };
            looker.entry(id.as_str(), known.as_ref().filter(|entry| entry.root == root_index))
        });
        self.remember(id, known.as_ref(), found.as_ref());
        found
    }

    fn remember(&self, id: &SpecId, known: Option<&Arc<SpecEntry>>, found: Option<&Arc<SpecEntry>>) {
        match (known, found) {
            (Some(known), Some(found)) if Arc::ptr_eq(known, found) => {}
            (_, Some(found)) => {
                let mut named = self.named();
                if named.len() >= MOST_NAMED {
                    named.clear();
                }
                named.insert(id.clone(), Arc::clone(found));
            }
            (Some(_), None) => drop(self.named().remove(id)),
            (None, None) => {}
        }
    }

    fn named(&self) -> MutexGuard<'_, BTreeMap<SpecId, Arc<SpecEntry>>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to run a pass; given back even when the pass panics.
struct Running<'a> {
    refresh: &'a Refresh,
    number: u64,
}

impl Running<'_> {
    fn ended_well(&self, snapshot: &Arc<Snapshot>) {
        let mut turn = self.refresh.turn();
        turn.latest = self.number;
        turn.snapshot = Arc::clone(snapshot);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.refresh.turn().running = false;
        self.refresh.done.notify_all();
    }
}

impl Memory {
    fn refresh(
        &mut self,
        context: &Context,
        layout: &Layout,
        root: &Root,
        disk: Disk,
    ) -> Result<Arc<Snapshot>, Interrupted> {
        let scope = self.scope(layout, root);
        if matches!(&scope, Scope::Folders(folders) if folders.is_empty()) {
            return Ok(self.index.snapshot());
        }
        self.torn = true;
        self.passes += 1;
        let watcher = match &mut self.watching {
            Watching::Active(watcher) => Some(watcher),
            Watching::NotYet | Watching::Never => None,
        };
        let number = self.passes;
        let (vanished, is_uncertain, roots) = (Vec::new(), false, Vec::new());
        let mut pass = Pass { context, layout, root, disk, number, watcher, vanished, is_uncertain, roots };
        pass.run(&mut self.index, &scope)?;
        // A root that went before it was opened, and is back by now, would not be looked at again: nobody watches it.
        self.torn = pass.is_uncertain || pass.roots != self.roots;
        if matches!(&self.watching, Watching::Active(watcher) if watcher.is_exhausted()) {
            self.watching = Watching::Never;
        }
        Ok(self.index.publish(layout))
    }

    /// What has to be looked at.
    fn scope(&mut self, layout: &Layout, root: &Root) -> Scope {
        let roots = identities(layout, root);
        let moved = std::mem::replace(&mut self.roots, roots) != self.roots;
        let first = self.passes == 0;
        match &mut self.watching {
            Watching::Never => Scope::Everything,
            Watching::NotYet if first => Scope::Everything,
            Watching::NotYet => {
                self.watching = Watcher::start().map_or(Watching::Never, Watching::Active);
                Scope::Everything
            }
            Watching::Active(watcher) => match watcher.drain() {
                Report::Folders(mut folders) if !self.torn && !moved => {
                    // While a folder was away, looks at what is inside it found nothing there; its return is news of the
                    // folder alone.
                    let moved = folders.iter().filter(|(_, news)| **news == News::Anything);
                    let moved: BTreeSet<Key> = moved.map(|(key, _)| key.clone()).collect();
                    folders.extend(self.index.inside(&moved).into_iter().map(|key| (key, News::Anything)));
                    for key in self.index.restless() {
                        let news = folders.entry(key.clone()).or_insert(News::Names(BTreeSet::new()));
                        if let (News::Names(names), Some(noted)) = (news, self.index.get(key)) {
                            names.extend(noted.folder.dangling.iter().cloned());
                        }
                    }
                    Scope::Folders(folders)
                }
                Report::Folders(_) | Report::Lost => Scope::Everything,
            },
        }
    }
}

/// The disk with the least exact clock among those that hold these folders.
pub(crate) fn slowest_disk<'p>(root: &Root, mut folders: impl Iterator<Item = &'p RelPath>) -> Disk {
    let is_remote = folders.any(|folder| disk_of(root, folder.as_str()) == Disk::Remote);
    if is_remote { Disk::Remote } else { Disk::Local }
}

/// Which folders the spec roots are right now.
fn identities(layout: &Layout, root: &Root) -> Vec<Option<(u64, u64)>> {
    let identity = |path: &str| {
        let stat = rustix::fs::statat(root.fd(), path, AtFlags::empty()).ok()?;
        Some((stat.st_dev, stat.st_ino))
    };
    layout.spec_roots().iter().map(|spec_root| identity(spec_root.path.as_str())).collect()
}
