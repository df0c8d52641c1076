//! The store: what a workspace remembers, read fresh and written safely.
//!
//! A use case is lock → refresh → decide → commit → unlock. Readers take no lock, unless they find a commit that
//! was interrupted: then they finish it first, so that nobody sees half of one (D-8, D-9).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_core::id::{ChangeId, SpecId};
use rustix::fs::FileType;

use crate::beneath::Root;
use crate::changes::{self, ChangeEntry, ChangeList};
use crate::commit::{CommitError, Committed, Edit, Transaction, commit, rehearse};
use crate::context::Context;
use crate::doc::{self, Doc, ReadError};
use crate::error::FileError;
use crate::journal::{Journal, StrandedWrite};
use crate::layout::{ChangeRoot, DocKey, Layout, LayoutKind, Shelf, SpecRoot};
use crate::locate::Locator;
use crate::lock::{self, Held, LockError, StateGuard, Tenure, WriteLock};
use crate::manifest::{self, Manifest};
use crate::path::RelPath;
use crate::refresh::{Means, Refresh, slowest_disk};
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::{Stamp, Ticks};
use crate::tree::{self, Survey};
use crate::{state_dir, state_file};

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

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    Inside(RelPath),
    Folder(RelPath),
    /// A link on the way leads out of the workspace.
    Outside,
    Nowhere,
}

/// The write lock of a workspace. Reading through it sees what the next commit is measured against.
#[derive(Debug)]
pub struct WriteGuard<'a> {
    inner: &'a Inner,
    _held: Held,
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

    /// Where a path really leads, links resolved.
    pub fn locate(&self, path: &RelPath) -> Located {
        let Ok(real) = fs_err::canonicalize(path.under(self.inner.root.path())) else {
            return Located::Nowhere;
        };
        let inside = real.strip_prefix(self.inner.root.path()).ok().and_then(std::path::Path::to_str);
        match inside.map(RelPath::parse) {
            Some(Ok(inside)) if real.is_dir() => Located::Folder(inside),
            Some(Ok(inside)) => Located::Inside(inside),
            Some(Err(_)) | None => Located::Outside,
        }
    }

    /// Everything that a folder holds; `None` when there is no such folder.
    pub fn manifest(&self, context: &Context, folder: &RelPath) -> Result<Option<Manifest>, ReadError> {
        self.settle(context)?;
        Ok(manifest::read(&self.inner.root, folder).map_err(FileError::at("read", folder))?)
    }

    /// The names of the files in a folder with their stamps, sorted.
    pub fn stamped_files(
        &self,
        context: &Context,
        folder: &RelPath,
    ) -> Result<Vec<(String, Stamp)>, ReadError> {
        self.settle(context)?;
        tree::stamped_files(&self.inner.root, folder)
    }

    /// The names of the files in a folder that belongs to the machine, sorted.
    pub fn state_names(&self, folder: &RelPath) -> Result<Vec<String>, ReadError> {
        tree::file_names(self.inner.state_root(), folder)
    }

    /// One document, as it is now; `None` when it is not there.
    pub fn read(&self, context: &Context, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        self.settle(context)?;
        self.inner.read(key)
    }

    /// The bytes of a document that may be no text.
    pub fn read_bytes(&self, context: &Context, key: &DocKey) -> Result<Option<Vec<u8>>, ReadError> {
        self.settle(context)?;
        match self.inner.locator().existing(key) {
            Some(path) => doc::read_bytes(&self.inner.root, &path),
            None => Ok(None),
        }
    }

    /// All open changes, as they are now.
    pub fn changes(&self, context: &Context) -> Result<ChangeList, ReadError> {
        self.settle(context)?;
        changes::list(context, &self.inner.layout, &self.inner.root)
    }

    /// One open change, as it is now.
    pub fn change(&self, context: &Context, id: &ChangeId) -> Result<Option<ChangeEntry>, ReadError> {
        self.settle(context)?;
        changes::find(&self.inner.layout, &self.inner.root, id)
    }

    /// The names of the archived changes of a root.
    pub fn archived(&self, context: &Context, root: &ChangeRoot) -> Result<Vec<String>, ReadError> {
        self.settle(context)?;
        changes::archived(&self.inner.root, &root.archive)
    }

    /// The names of the project's own kinds of changes.
    pub fn schemas(&self, context: &Context, root: &ChangeRoot) -> Result<Vec<String>, ReadError> {
        context.check()?;
        changes::schemas(&self.inner.root, root)
    }

    /// The files of the tree, as far as the survey goes.
    pub fn survey(&self, context: &Context, survey: Survey<'_>) -> Result<Vec<String>, ReadError> {
        tree::survey(context, &self.inner.root, survey)
    }

    /// The names of the files in a folder, sorted; none when there is no such folder.
    pub fn file_names(&self, context: &Context, folder: &RelPath) -> Result<Vec<String>, ReadError> {
        self.settle(context)?;
        tree::file_names(&self.inner.root, folder)
    }

    /// Every file below a folder, hidden ones included, sorted; none when there is no such folder. Links are left out.
    pub fn tree(&self, context: &Context, folder: &RelPath) -> Result<Vec<RelPath>, ReadError> {
        self.settle(context)?;
        tree::all_files(context, &self.inner.root, folder)
    }

    /// What the file system tells of a file now; `None` when there is no regular file.
    pub fn stamp(&self, context: &Context, path: &RelPath) -> Result<Option<Stamp>, ReadError> {
        self.settle(context)?;
        let stat = self.inner.root.look(path).map_err(FileError::at("read", path))?;
        let stat = stat.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        Ok(stat.as_ref().map(Stamp::of))
    }

    /// How exact the clocks are by which specs, changes and decisions get their stamps.
    pub fn ticks(&self) -> Ticks {
        let layout = &self.inner.layout;
        let specs = layout.spec_roots().iter().map(|root| &root.path);
        let changes = layout.change_roots().iter().map(|root| &root.changes);
        let folders = specs.chain(changes).chain([&layout.places().decisions]);
        Ticks(slowest_disk(&self.inner.root, folders))
    }

    /// Makes the folder of the search index, for whoever writes into it, and returns its path on disk.
    pub fn make_search_index(&self) -> Result<PathBuf, FileError> {
        let layout = &self.inner.layout;
        let path = &layout.places().search_index;
        state_dir::ensure(self.inner.state_root(), layout.places())
            .and_then(|_| self.inner.state_root().make_dirs(path))
            .map_err(FileError::at("create", path))?;
        Ok(layout.search_index())
    }

    /// The bytes of a file that belongs to the machine, below the state root; `None` when it is not there.
    pub fn read_state(&self, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
        state_file::read(self.inner.state_root(), path)
    }

    /// Writes a file that belongs to the machine, whole.
    pub fn write_state(&self, path: &RelPath, bytes: &[u8]) -> Result<(), FileError> {
        state_file::write(self.inner.state_root(), self.inner.layout.places(), path, bytes)
    }

    /// Removes a file that belongs to the machine; one that is not there is fine.
    pub fn remove_state(&self, path: &RelPath) -> Result<(), FileError> {
        state_file::remove(self.inner.state_root(), path)
    }

    /// Keeps everybody else from what a file of the machine's part stands for, while the guard is held.
    pub fn lock_state(&self, context: &Context, path: &RelPath) -> Result<StateGuard, LockError> {
        StateGuard::acquire(context, self.inner.state_root(), self.inner.layout.places(), path)
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

    /// Where a document is or, when its work item does not exist yet, where it belongs; `None` when it has no place.
    pub fn path(&self, key: &DocKey, home: LayoutKind) -> Option<RelPath> {
        self.inner.locator().place(key, home)
    }

    /// Whether anything stands at a path, a link that leads nowhere included.
    pub fn stands(&self, path: &RelPath) -> bool {
        self.inner.locator().stands(path)
    }

    /// The path that a link stands for, if it stays in the workspace; the path itself if it is no link.
    pub fn resolve(&self, path: &RelPath) -> Result<RelPath, FileError> {
        self.inner.root.resolve_link(path).map_err(FileError::at("follow", path))
    }

    /// Whether the machine's part of the workspace has been made.
    pub fn stands_state(&self) -> bool {
        self.inner.state_root().look(&self.layout().places().state).is_ok_and(|stat| stat.is_some())
    }

    /// Whether a write was interrupted after its commit point and waits for the next holder of the lock.
    pub fn is_interrupted(&self) -> bool {
        self.inner.journal().is_pending()
    }

    /// Whether somebody holds the lock now, and who, as far as the lock file says.
    pub fn tenure(&self) -> Result<Tenure, FileError> {
        lock::tenure(self.inner.state_root(), self.layout().places())
    }

    /// Whether a file of the machine's part can be written, as far as can be told without writing it.
    pub fn check_writable(&self, path: &RelPath) -> Result<(), FileError> {
        self.inner.state_root().admits_file(path).map_err(FileError::at("write", path))
    }

    /// Whether names can be made in the folder that this path of the machine's part stands in.
    pub fn check_writable_folder(&self, path: &RelPath) -> Result<(), FileError> {
        self.inner.state_root().admits_writes(path).map_err(FileError::at("write", path))
    }

    /// The root that a spec stands in.
    pub fn spec_root(&self, id: &SpecId) -> Option<&SpecRoot> {
        let (index, _) = self.inner.locator().spec_folder(id)?;
        Some(&self.inner.layout.spec_roots()[index])
    }

    /// Whether any root has a folder for this id, with or without a spec in it.
    pub fn is_taken(&self, id: &SpecId) -> bool {
        self.inner.layout.spec_folders(id).any(|(_, folder)| self.inner.locator().stands(&folder))
    }

    /// Writes that were left undone because somebody else changed the file.
    pub fn stranded(&self) -> Result<Vec<StrandedWrite>, ReadError> {
        let journal = &self.inner.layout.places().journal;
        Ok(self.inner.journal().stranded().map_err(FileError::at("read the journal", journal))?)
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

impl WriteGuard<'_> {
    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    pub fn snapshot(&self, context: &Context) -> Result<Arc<Snapshot>, ReadError> {
        self.inner.snapshot(context)
    }

    pub fn entry(&self, context: &Context, id: &SpecId) -> Result<Option<Arc<SpecEntry>>, ReadError> {
        self.inner.entry(context, id)
    }

    pub fn read(&self, key: &DocKey) -> Result<Option<Doc>, ReadError> {
        self.inner.read(key)
    }

    /// Everything that a folder holds; `None` when there is no such folder.
    pub fn manifest(&self, folder: &RelPath) -> Result<Option<Manifest>, ReadError> {
        Ok(manifest::read(&self.inner.root, folder).map_err(FileError::at("read", folder))?)
    }

    /// The names of the files in a folder, sorted; none when there is no such folder.
    pub fn file_names(&self, folder: &RelPath) -> Result<Vec<String>, ReadError> {
        tree::file_names(&self.inner.root, folder)
    }

    pub(crate) fn root(&self) -> &Root {
        &self.inner.root
    }

    /// What lock, journal and logs are below.
    pub(crate) fn state_root(&self) -> &Root {
        self.inner.state_root()
    }

    /// Creates a folder and the ones above it; says whether it is new.
    pub fn create_folder(&self, path: &RelPath) -> Result<bool, FileError> {
        if self.inner.locator().stands(path) {
            return Ok(false);
        }
        self.inner.root.make_dirs(path).map_err(FileError::at("create", path))?;
        Ok(true)
    }

    /// Changes several documents together, or none of them.
    pub fn commit(&self, context: &Context, transaction: Transaction) -> Result<Committed, CommitError> {
        let edits = self.inner.placed(transaction)?;
        let committed = commit(context, &self.inner.root, &self.inner.journal(), &edits)?;
        context.note_committed(&committed.changes);
        Ok(committed)
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
