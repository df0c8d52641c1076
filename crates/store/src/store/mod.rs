//! The store: what a workspace remembers, read fresh and written safely.
//!
//! A use case is lock → refresh → decide → commit → unlock. Readers take no lock, unless they find a commit that
//! was interrupted: then they finish it first, so that nobody sees half of one (D-8, D-9).

mod files;
mod guard;
mod machine;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_core::id::SpecId;

pub use self::files::Located;
pub use self::guard::WriteGuard;
use crate::beneath::Root;
use crate::commit::{CommitError, Edit, Transaction, rehearse};
use crate::context::Context;
use crate::doc::{self, Doc, ReadError};
use crate::error::FileError;
use crate::journal::Journal;
use crate::layout::{DocKey, Layout, LayoutKind, Shelf};
use crate::locate::Locator;
use crate::lock::{LockError, WriteLock};
use crate::path::RelPath;
use crate::refresh::{Means, Refresh, slowest_disk};
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::Ticks;

/// How often a reader tries to find a moment between two commits before it takes the lock.
const TRIES: usize = 3;

/// How long a reader waits for a commit that is under way before it takes it for interrupted.
const PATIENCE: Duration = Duration::from_millis(20);
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
        let root =
            Root::open(layout.root()).map_err(FileError::at_path("open the workspace", layout.root()))?;
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
        let inner = Inner { layout, root, state_root, lock: Arc::default(), refresh, shelves };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// All specs, as they are now.
    pub fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.between_commits(context, |inner| inner.snapshot(context))
    }

    /// One spec, as it is now; only its own files are looked at.
    pub fn entry(&self, context: &Context, id: &SpecId) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        self.between_commits(context, |inner| inner.entry(context, id))
    }

    /// All artifacts of a shelf, as they are now.
    pub fn shelf(&self, context: &Context, shelf: Shelf) -> Result<Arc<Snapshot>, ReadError> {
        self.between_commits(context, |inner| inner.shelf(context, shelf))
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
        let held = inner.lock.acquire(context, inner.state_root(), inner.layout.places())?;
        inner.journal().recover()?;
        Ok(WriteGuard { inner, _held: held })
    }

    /// Whether a transaction would be committed as things stand now. Writes nothing and needs no lock.
    pub fn rehearse(&self, transaction: Transaction) -> Result<(), CommitError> {
        rehearse(&self.inner.root, &self.inner.placed(transaction)?)
    }

    /// Reads several files of which no commit has changed only some meanwhile.
    fn between_commits<T>(
        &self,
        context: &Context,
        read: impl Fn(&Inner) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let journal = self.inner.journal();
        for _ in 0..TRIES {
            self.settle(context)?;
            let before = journal.last();
            let value = read(&self.inner)?;
            // In this order: a commit that is closed between the two questions has left its mark by the second.
            if !journal.is_pending() && journal.last() == before {
                return Ok(value);
            }
        }
        // Too much is being written to find a quiet moment: make one.
        let _guard = if self.inner.lock.is_held_here() { None } else { self.lock(context).ok() };
        read(&self.inner)
    }

    /// Waits for a commit that is under way, or finishes one that was interrupted.
    fn settle(&self, context: &Context) -> Result<(), ReadError> {
        if !self.inner.journal().is_pending() || self.inner.lock.is_held_here() {
            return Ok(());
        }
        // A commit under way is over in a moment. Queueing for the lock with the writers would take longer, and only
        // a commit that was interrupted needs it.
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            context.check()?;
            std::thread::sleep(GLANCE);
            if !self.inner.journal().is_pending() {
                return Ok(());
            }
        }
        match self.lock(context) {
            Ok(_) => Ok(()),
            Err(LockError::Interrupted(why)) => Err(why.into()),
            Err(busy @ LockError::Busy { .. }) => Err(ReadError::Locked(busy)),
            // A disk that takes no writes must not keep anybody from reading.
            Err(error @ (LockError::File(_) | LockError::Unfinished(_))) => {
                tracing::warn!(%error, "an interrupted write could not be finished");
                Ok(())
            }
        }
    }
}

impl Inner {
    fn locator(&self) -> Locator<'_> {
        Locator { layout: &self.layout, root: &self.root }
    }

    fn place(&self, key: &DocKey, home: LayoutKind) -> Result<RelPath, CommitError> {
        self.locator().place(key, home).ok_or_else(|| CommitError::Homeless { id: key.to_string() })
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
            })
        };
        transaction.edits.into_iter().map(placed).collect()
    }

    fn journal(&self) -> Journal<'_> {
        Journal::new(&self.root, self.state_root(), &self.layout.places().journal)
    }

    fn state_root(&self) -> &Root {
        self.state_root.as_ref().unwrap_or(&self.root)
    }

    fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.refresh.snapshot(context, &self.layout, &self.root)
    }

    fn shelf(&self, context: &Context, shelf: Shelf) -> Result<Arc<Snapshot>, ReadError> {
        let (layout, refresh) = &self.shelves[shelf as usize];
        refresh.snapshot(context, layout, &self.root)
    }

    fn entry(&self, context: &Context, id: &SpecId) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        context.check()?;
        Ok(self.refresh.entry(&self.layout, &self.root, id))
    }

    fn read(&self, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        match self.locator().readable(key) {
            Some(path) => doc::read(&self.root, path),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::commit::Expect;

    #[test]
    fn a_look_that_a_commit_came_across_is_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::load(&fs_err::canonicalize(dir.path()).unwrap());
        let [reader, writer] = [(); 2].map(|()| Store::open(layout.clone()).unwrap());
        let context = Context::background();
        let commit = |text: String| {
            let mut transaction = Transaction::new();
            transaction.put(DocKey::File(RelPath::known("a.md")), text, Expect::Any);
            writer.lock(&context).unwrap().commit(&context, transaction).unwrap();
        };
        for commits in 0..=TRIES {
            let looks = Cell::new(0);
            let text = reader.between_commits(&context, |inner| {
                looks.set(looks.get() + 1);
                let seen = inner.read(&DocKey::File(RelPath::known("a.md")));
                if looks.get() <= commits {
                    commit(format!("{commits} {}", looks.get()));
                }
                seen
            });
            assert_eq!(looks.get(), commits + 1);
            if commits > 0 {
                assert_eq!(text.unwrap().unwrap().text, format!("{commits} {commits}"));
            }
        }
    }
}
