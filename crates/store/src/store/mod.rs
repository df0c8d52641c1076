//! The store: what a workspace remembers, read fresh and written safely.
//!
//! A use case is lock → refresh → decide → commit → unlock. Readers take no lock and write nothing: one that finds a commit
//! that was interrupted answers as if it were finished, so that nobody sees half of one (D-8, D-9).

mod between;
mod files;
mod finished;
mod guard;
mod machine;
mod reads;
mod together;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Weak};

use hewto_core::id::SpecId;

pub use self::files::Located;
pub use self::guard::WriteGuard;
pub use self::machine::{JournalRemains, Machine};
use self::reads::Reads;
use crate::beneath::{Root, is_missing};
use crate::commit::{CommitError, Edit, Group, Transaction, rehearse};
use crate::context::Context;
use crate::doc::ReadError;
use crate::error::FileError;
use crate::journal::{Journal, Pending};
use crate::layout::{DocFolder, DocKey, Layout, LayoutKind, Places, Shelf};
use crate::locate::Locator;
use crate::lock::{LockError, WriteLock};
use crate::path::RelPath;
use crate::refresh::{Means, Refresh, slowest_disk};
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::Ticks;
use crate::trace;

/// One open workspace. Clones share everything.
///
/// The one that a [`WriteGuard`] derefs to, and its clones, read as the holder of the lock does for as long as that is held:
/// they wait for no commit, see those that are to be carried out before its own, and remember what was read.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// What the holder of the lock has read, if this one reads for it.
    reads: Weak<Reads>,
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
            refresh,
            shelves,
        };
        Ok(Self { inner: Arc::new(inner), reads: Weak::new() })
    }

    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// The workspace root, a real path.
    pub fn root(&self) -> &Path {
        self.inner.layout.root()
    }

    /// Whether the workspace has the marker of this layout.
    pub fn has(&self, kind: LayoutKind) -> bool {
        self.inner.layout.has(kind)
    }

    /// Where hewto's own documents are.
    pub fn places(&self) -> &Places {
        self.inner.layout.places()
    }

    /// Folders that should be there and are not. Git keeps no empty folders, so only the layout whose own rules ask for
    /// them is held to them.
    pub fn missing_folders(&self) -> Vec<DocFolder> {
        let layout = &self.inner.layout;
        if !layout.has(LayoutKind::Airsspec) {
            return Vec::new();
        }
        let roots = layout.spec_roots().iter().filter(|root| root.owners.contains(&LayoutKind::Airsspec));
        let mut folders: Vec<DocFolder> = roots.map(|root| root.path.clone().into()).collect();
        folders.push(layout.places().wire_logs.clone());
        folders.retain(|folder| !folder.under(layout.root()).is_dir());
        folders
    }

    /// All specs, as they are now.
    pub fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.between_commits(context, &Extent::Everything, |inner, root| inner.snapshot(context, root))
    }

    /// What the folders of specs looked like for a snapshot, for [`Store::is_as_traced`] of another process; `None` where looks
    /// alone could not tell that nothing has changed.
    pub fn trace(&self, context: &Context, snapshot: &Snapshot) -> Result<Option<Vec<u8>>, ReadError> {
        let Inner { refresh, layout, root, .. } = &*self.inner;
        Ok(refresh.trace(context, layout, root, snapshot)?)
    }

    /// Whether no spec and no plan has changed since the folders were traced. Nothing is read: it takes a fraction of what
    /// [`Store::snapshot`] takes the first time.
    pub fn is_as_traced(&self, context: &Context, trace: &[u8]) -> Result<bool, ReadError> {
        self.between_commits(context, &Extent::Everything, |inner, root| {
            Ok(root.overlay().is_none() && trace::holds(context, &inner.layout, root, trace)?)
        })
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
        let folders = specs.chain(changes).chain([layout.places().decisions.path()]);
        Ticks(slowest_disk(&self.inner.root, folders))
    }

    /// Takes the write lock, finishing first what a crash may have left.
    pub fn lock(&self, context: &Context) -> Result<WriteGuard, LockError> {
        let taken = self.take_turn(context)?;
        self.take_over(context, taken)
    }

    /// Takes the write lock to commit once, with [`WriteGuard::finish`]: such a commit may share its record with those of
    /// other threads that wait here. What is read under the lock is as the commits before will have it.
    pub fn lock_together(&self, context: &Context) -> Result<WriteGuard, LockError> {
        let taken = self.take_turn(context)?;
        if !self.inner.group.has_room() {
            return self.take_over(context, taken);
        }
        match taken.go_on(context) {
            Ok(held) => Ok(WriteGuard::new(&self.inner, held)),
            Err(taken) => self.take_over(context, taken),
        }
    }

    /// Whether a transaction would be committed as things stand now. Writes nothing and needs no lock.
    pub fn rehearse(&self, context: &Context, transaction: Transaction) -> Result<(), CommitError> {
        let edits = self.placed(transaction)?;
        match self.sight(context, &Extent::Everything) {
            Ok(root) => rehearse(&root, &edits),
            Err(_) => rehearse(&self.inner.root, &edits),
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

impl Store {
    /// Where things are. The holder of the lock sees where they will be.
    fn ask<T>(&self, question: impl FnOnce(Locator<'_>) -> T) -> T {
        let root = self.held_view().unwrap_or(Cow::Borrowed(&self.inner.root));
        question(Locator { layout: &self.inner.layout, root: &root })
    }

    /// For the holder of the lock the root as the commits that wait before its own will have it; `None` for everybody else.
    fn held_view(&self) -> Option<Cow<'_, Root>> {
        self.reads.upgrade()?;
        Some(self.inner.group.view().map_or(Cow::Borrowed(&self.inner.root), Cow::Owned))
    }

    fn place(&self, key: &DocKey, home: LayoutKind) -> Result<RelPath, CommitError> {
        self.path(key, home).ok_or_else(|| CommitError::Homeless { id: key.to_string() })
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
}

impl Inner {
    /// Whether the record that stands there says nothing of what is to be read. Whose it is does not matter for that.
    fn is_elsewhere(&self, journal: &Journal<'_>, extent: &Extent) -> bool {
        let Extent::At(paths) = extent else { return false };
        journal.glance().is_some_and(|steps| {
            // Where a link leads, a record speaks of the place under another name.
            let is_apart = |path: &RelPath| !steps.iter().any(|step| step.concerns(path));
            paths.iter().all(|path| is_apart(path) && self.root.has_no_links(path))
        })
    }

    fn journal<'a>(&'a self, context: &'a Context) -> Journal<'a> {
        Journal::new(&self.root, self.state_root(), &self.layout.places().journal, context.secret())
    }

    /// The root as it is, or as a record of this machine will have it.
    fn sight_of(&self, pending: Pending) -> Result<Cow<'_, Root>, ReadError> {
        let record = match pending {
            Pending::Ours(record) => record,
            Pending::Unknown(error) => return Err(error.into()),
            Pending::Nothing | Pending::Lapsed(_) | Pending::Distrusted(_) => {
                return Ok(Cow::Borrowed(&self.root));
            }
        };
        let journal = &self.layout.places().journal;
        let folder = journal.join(&record.tx.to_string()).expect("a transaction's name is a plain name");
        let seen = match self.state_root().open_real_dir(Some(&folder)) {
            Ok(slots) => self.root.finished(&slots, &record),
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
}

#[cfg(test)]
mod tests;
