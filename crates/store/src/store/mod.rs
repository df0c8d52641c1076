//! The store: what a workspace remembers, read fresh and written safely.
//!
//! A use case is lock → refresh → decide → commit → unlock. Readers take no lock and write nothing: one that finds a commit
//! that was interrupted answers as if it were finished, so that nobody sees half of one (D-8, D-9).

mod files;
mod finished;
mod guard;
mod machine;
mod together;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::id::SpecId;
use hewto_core::interrupt::Interrupted;

pub use self::files::Located;
pub use self::guard::WriteGuard;
use crate::beneath::{Root, is_missing};
use crate::commit::{CommitError, Edit, Group, Transaction, rehearse};
use crate::context::Context;
use crate::doc::{self, Doc, ReadError};
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::journal::{Journal, Pending};
use crate::layout::{DocKey, Layout, LayoutKind, Shelf};
use crate::locate::Locator;
use crate::lock::{self, Holder, LockError, Tenure, WriteLock};
use crate::overlay::Overlay;
use crate::path::RelPath;
use crate::refresh::{Means, Refresh, slowest_disk};
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::Ticks;

/// How often a reader tries to find a moment between two commits before it takes the lock.
const TRIES: usize = 3;

/// How long a reader waits for a commit that is under way before it asks whether anybody is at work.
const MOMENT: Duration = Duration::from_millis(10);
/// How long it waits for somebody who is at work before it reads through what is left to do.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it looks.
const GLANCE: Duration = Duration::from_micros(100);

/// One open workspace. Clones share everything.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    layout: Layout,
    root: Root,
    /// What lock and journal are below, when that is not the root.
    state_root: Option<Root>,
    lock: Arc<WriteLock>,
    /// Commits of this process that are carried out together.
    group: Group,
    /// What the holder of the lock has read of documents since it took the lock or committed.
    reads: Mutex<BTreeMap<RelPath, Option<ContentHash>>>,
    refresh: Refresh,
    /// Kept fresh as specs are, each by itself.
    shelves: [(Layout, Refresh); 2],
}

impl Store {
    /// Opens a workspace; nothing is read yet.
    pub fn open(layout: Layout) -> Result<Self, FileError> {
        Self::open_with(layout, Means::Watches)
    }

    /// Opens a workspace that is never watched: every call looks at every file. For file systems that only seem to
    /// be local, and to measure the difference.
    pub fn open_scanning(layout: Layout) -> Result<Self, FileError> {
        Self::open_with(layout, Means::Scans)
    }

    fn open_with(layout: Layout, means: Means) -> Result<Self, FileError> {
        let root = Root::open_tree(layout.root())
            .map_err(FileError::at_path("open the workspace", layout.root()))?;
        let refresh = Refresh::new(&layout, &root, means);
        let state_root = match layout.state_root() {
            same if same == layout.root() => None,
            other => Some(Root::open(other).map_err(FileError::at_path("open the git folder", other))?),
        };
        let shelves = Shelf::ALL.map(|shelf| {
            let layout = layout.of_shelf(shelf);
            let refresh = Refresh::new(&layout, &root, means);
            (layout, refresh)
        });
        let inner = Inner {
            layout,
            root,
            state_root,
            lock: Arc::default(),
            group: Group::default(),
            reads: Mutex::default(),
            refresh,
            shelves,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// All specs, as they are now.
    pub fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.between_commits(context, &Extent::Everything, |inner, root| inner.snapshot(context, root))
    }

    /// One spec, as it is now; only its own files are looked at.
    pub fn entry(&self, context: &Context, id: &SpecId) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        let folders = self.inner.layout.spec_folders(id).map(|(_, folder)| folder);
        self.between_commits(context, &Extent::of(folders), |inner, root| inner.entry(context, root, id))
    }

    /// All artifacts of a shelf, as they are now.
    pub fn shelf(&self, context: &Context, shelf: Shelf) -> Result<Arc<Snapshot>, ReadError> {
        self.between_commits(context, &Extent::Everything, |inner, root| inner.shelf(context, root, shelf))
    }

    /// How exact the clocks are by which specs, changes and decisions get their stamps.
    pub fn ticks(&self) -> Ticks {
        let layout = &self.inner.layout;
        let specs = layout.spec_roots().iter().map(|root| &root.path);
        let changes = layout.change_roots().iter().map(|root| &root.changes);
        let folders = specs.chain(changes).chain([&layout.places().decisions]);
        Ticks(slowest_disk(&self.inner.root, folders))
    }

    /// Takes the write lock, finishing first what a crash may have left.
    pub fn lock(&self, context: &Context) -> Result<WriteGuard<'_>, LockError> {
        let inner = &*self.inner;
        let (root, places) = (inner.state_root(), inner.layout.places());
        let taken = inner.lock.take(context, root, places)?;
        inner.take_over(context, taken)
    }

    /// Takes the write lock to commit once, with [`WriteGuard::finish`]: such a commit may share its record with those of
    /// other threads that wait here. What is read under the lock is as the commits before will have it.
    pub fn lock_together(&self, context: &Context) -> Result<WriteGuard<'_>, LockError> {
        let inner = &*self.inner;
        let taken = inner.lock.take(context, inner.state_root(), inner.layout.places())?;
        if !inner.group.has_room() {
            return inner.take_over(context, taken);
        }
        match taken.go_on(context) {
            Ok(held) => {
                inner.take_reads();
                Ok(WriteGuard::new(inner, held))
            }
            Err(taken) => inner.take_over(context, taken),
        }
    }

    /// Whether a transaction would be committed as things stand now. Writes nothing and needs no lock.
    pub fn rehearse(&self, context: &Context, transaction: Transaction) -> Result<(), CommitError> {
        let edits = self.inner.placed(transaction)?;
        match self.sight(context, &Extent::Everything) {
            Ok(root) => rehearse(&root, &edits),
            Err(_) => rehearse(&self.inner.root, &edits),
        }
    }

    /// Reads several files of which no commit has changed only some meanwhile.
    fn between_commits<T>(
        &self,
        context: &Context,
        extent: &Extent,
        read: impl Fn(&Inner, &Root) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if self.inner.lock.is_held_here() {
            return read(&self.inner, &self.inner.view());
        }
        let journal = self.inner.journal(context);
        for _ in 0..TRIES {
            let sight = self.sight(context, extent)?;
            let before = journal.last();
            let value = read(&self.inner, &sight)?;
            // In this order: a commit that is closed between the two questions has left its mark by the second.
            let is_quiet = match sight.overlay() {
                None => {
                    !journal.has_record()
                        || self.inner.is_elsewhere(&journal, extent)
                        || self.is_without_effect(context)?
                }
                Some(overlay) => self.is_still_seen(context, overlay)?,
            };
            if is_quiet && journal.last() == before {
                return Ok(value);
            }
        }
        // Too much is being written to find a quiet moment: make one. Nothing is finished or swept for it.
        let inner = &*self.inner;
        let _quiet = lock::wait_for_quiet(context, inner.state_root(), inner.layout.places());
        let sight = inner.sight_of(inner.journal(context).pending())?;
        read(inner, &sight)
    }

    /// Reads one thing, as it is between two commits.
    fn settled<T>(
        &self,
        context: &Context,
        extent: &Extent,
        read: impl Fn(&Root) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if self.inner.lock.is_held_here() {
            return read(&self.inner.view());
        }
        for _ in 0..TRIES {
            let sight = self.sight(context, extent)?;
            let value = read(&sight)?;
            match sight.overlay() {
                Some(overlay) if !self.is_still_seen(context, overlay)? => {}
                _ => return Ok(value),
            }
        }
        read(&*self.sight(context, extent)?)
    }

    /// Whether the commit that was seen through waits as it did.
    fn is_still_seen(&self, context: &Context, overlay: &Overlay) -> Result<bool, ReadError> {
        let again = self.inner.sight_of(self.inner.journal(context).pending())?;
        Ok(again.overlay().is_some_and(|again| again.touched() == overlay.touched()))
    }

    /// Whether the record that stands there changes nothing of what was read: it is not believed, or everything is in its
    /// place, and nobody is at work.
    fn is_without_effect(&self, context: &Context) -> Result<bool, ReadError> {
        let inner = &*self.inner;
        Ok(!self.is_at_work() && inner.sight_of(inner.journal(context).pending())?.overlay().is_none())
    }

    fn is_at_work(&self) -> bool {
        self.tenure().is_ok_and(|tenure| tenure != Tenure::Free)
    }

    /// What to read from: the root as it is or, where a commit of this machine was interrupted, as it will be when that
    /// is finished. Waits a moment for a commit under way; writes nothing.
    fn sight(&self, context: &Context, extent: &Extent) -> Result<Cow<'_, Root>, ReadError> {
        if self.inner.lock.is_held_here() {
            return Ok(self.inner.view());
        }
        let journal = self.inner.journal(context);
        if !journal.has_record() || self.inner.is_elsewhere(&journal, extent) {
            return Ok(Cow::Borrowed(&self.inner.root));
        }
        let begin = Instant::now();
        loop {
            // A commit under way is over in a moment; whether anybody is at work is asked only after that.
            let waited = begin.elapsed();
            let is_at_work = waited < MOMENT || self.is_at_work();
            if !is_at_work || waited > PATIENCE {
                match journal.pending() {
                    // Somebody else's on this machine, with a key of their own: theirs to finish.
                    Pending::Distrusted(_) if is_at_work => {}
                    pending => return self.inner.sight_of(pending),
                }
            }
            context.check().map_err(|why| match why {
                Interrupted::Cancelled => ReadError::from(why),
                Interrupted::TimedOut => ReadError::Locked(LockError::Busy { holder: self.holder() }),
            })?;
            std::thread::sleep(GLANCE);
            if !journal.has_record() {
                return Ok(Cow::Borrowed(&self.inner.root));
            }
        }
    }

    fn holder(&self) -> Option<Holder> {
        match self.tenure() {
            Ok(Tenure::Held(holder)) => Some(holder),
            _ => None,
        }
    }
}

/// What a read looks at.
enum Extent {
    Everything,
    /// These folders, and what is in them.
    At(Vec<RelPath>),
}

impl Extent {
    fn of(folders: impl Iterator<Item = RelPath>) -> Self {
        Self::At(folders.collect())
    }
}

impl Inner {
    /// Asks where things are. The holder of the lock sees where they will be.
    fn locate<T>(&self, ask: impl FnOnce(Locator<'_>) -> T) -> T {
        let root = self.view();
        ask(Locator { layout: &self.layout, root: &root })
    }

    /// The root as it is or, for the holder of the lock, as the commits that wait before its own will have it.
    fn view(&self) -> Cow<'_, Root> {
        let view = if self.lock.is_held_here() { self.group.view() } else { None };
        view.map_or(Cow::Borrowed(&self.root), Cow::Owned)
    }

    fn place(&self, key: &DocKey, home: LayoutKind) -> Result<RelPath, CommitError> {
        self.locate(|locator| locator.place(key, home))
            .ok_or_else(|| CommitError::Homeless { id: key.to_string() })
    }

    /// Whether the record that stands there says nothing of what is to be read. Whose it is does not matter for that.
    fn is_elsewhere(&self, journal: &Journal<'_>, extent: &Extent) -> bool {
        let Extent::At(paths) = extent else { return false };
        journal.glance().is_some_and(|steps| {
            // Where a link leads, a record speaks of the place under another name.
            let is_apart = |path: &RelPath| !steps.iter().any(|step| step.concerns(path));
            paths.iter().all(|path| is_apart(path) && self.root.has_no_links(path))
        })
    }

    /// The edits of a transaction with the paths of their documents.
    fn placed(&self, transaction: Transaction) -> Result<Vec<Edit<RelPath>>, CommitError> {
        let home = transaction.home;
        let placed = |edit| {
            Ok(match edit {
                Edit::Put { place, bytes, expect } => {
                    Edit::Put { place: self.place(&place, home)?, bytes, expect }
                }
                Edit::Delete { place, expect } => Edit::Delete { place: self.place(&place, home)?, expect },
                Edit::MoveDir { from, to } => Edit::MoveDir { from, to },
                Edit::DeleteDir { path, seen } => Edit::DeleteDir { path, seen },
                Edit::Require { place, expect } => Edit::Require { place: self.place(&place, home)?, expect },
            })
        };
        transaction.edits.into_iter().map(placed).collect()
    }

    fn journal<'a>(&'a self, context: &'a Context) -> Journal<'a> {
        Journal::new(&self.root, self.state_root(), &self.layout.places().journal, context.secret())
    }

    /// The root as it is, or as a record of this machine will have it.
    fn sight_of(&self, pending: Pending) -> Result<Cow<'_, Root>, ReadError> {
        let Pending::Ours(record) = pending else { return Ok(Cow::Borrowed(&self.root)) };
        let journal = &self.layout.places().journal;
        let folder = journal.join(&record.tx.to_string()).expect("a transaction's name is a plain name");
        let seen = match self.state_root().open_real_dir(Some(&folder)) {
            Ok(slots) => self.root.finished(&slots, &record.steps),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        };
        let seen = seen.map_err(FileError::at("read the journal", journal))?;
        Ok(seen.map_or(Cow::Borrowed(&self.root), Cow::Owned))
    }

    fn state_root(&self) -> &Root {
        self.state_root.as_ref().unwrap_or(&self.root)
    }

    fn snapshot(&self, context: &Context, root: &Root) -> Result<Arc<Snapshot>, ReadError> {
        let snapshot = self.refresh.snapshot(context, &self.layout, &self.root)?;
        finished::snapshot(context, &self.layout, root, snapshot)
    }

    fn shelf(&self, context: &Context, root: &Root, shelf: Shelf) -> Result<Arc<Snapshot>, ReadError> {
        let (layout, refresh) = &self.shelves[shelf as usize];
        let snapshot = refresh.snapshot(context, layout, &self.root)?;
        finished::snapshot(context, layout, root, snapshot)
    }

    fn entry(
        &self,
        context: &Context,
        root: &Root,
        id: &SpecId,
    ) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        context.check()?;
        Ok(match root.overlay() {
            Some(_) => finished::entry(&self.layout, root, id),
            None => self.refresh.entry(&self.layout, root, id),
        })
    }

    fn read(&self, root: &Root, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        let Some(path) = (Locator { layout: &self.layout, root }).readable(key) else { return Ok(None) };
        let doc = doc::read(root, path.clone())?;
        if self.lock.is_held_here() {
            let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
            reads.entry(path).or_insert(doc.as_ref().map(|doc| doc.hash));
        }
        Ok(doc)
    }

    /// What was read for the decision that is about to be committed.
    fn take_reads(&self) -> BTreeMap<RelPath, Option<ContentHash>> {
        std::mem::take(&mut *self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
