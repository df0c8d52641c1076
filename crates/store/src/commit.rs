//! A commit: several files change together, if they still are what the caller has seen (D-8).
//!
//! The caller holds the write lock. Preconditions are looked at before the contents are staged and again before the
//! commit point; the context is looked at for the last time there. After it the answer is success, even when late.

use std::collections::BTreeSet;

use hewto_core::interrupt::Interrupted;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::beneath::Root;
use crate::context::Context;
use crate::doc;
use crate::error::FileError;
use crate::git::OfGit;
use crate::hash::ContentHash;
use crate::journal::{Blob, Journal, Record, Step};
use crate::layout::{DocKey, LayoutKind};
use crate::manifest;
use crate::path::RelPath;
use crate::place::{Attributes, Present, present};

/// What a commit is to do, in order.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub(crate) home: LayoutKind,
    pub(crate) edits: Vec<Edit>,
}

/// What has to stand at a path for the commit to go ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Absent,
    /// Exactly the text that was read.
    Hash(ContentHash),
    /// Whatever is there.
    Any,
}

#[derive(Debug, Clone)]
pub(crate) enum Edit<Place = DocKey> {
    Put {
        place: Place,
        bytes: Vec<u8>,
        expect: Expect,
    },
    Delete {
        place: Place,
        expect: Expect,
    },
    MoveDir {
        from: RelPath,
        to: RelPath,
    },
    DeleteDir {
        path: RelPath,
        seen: ContentHash,
    },
    /// Writes nothing: what was read there led to the other edits.
    Require {
        place: Place,
        expect: Expect,
    },
}

/// What a commit did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Committed {
    /// In the order of the transaction; files that already had their new text are left out.
    pub changes: Vec<Change>,
}

/// What happened to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: RelPath,
    pub action: Action,
    /// The hash of the new text; `None` when there is none.
    pub hash: Option<ContentHash>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Created,
    Modified,
    Deleted,
    /// A folder was moved here.
    Moved,
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Moved => "moved",
        }
    }
}

/// Why nothing was committed, except for [`CommitError::Unfinished`] and [`CommitError::Stranded`].
#[derive(Debug, Error)]
pub enum CommitError {
    #[error("already there: `{path}`")]
    Exists { path: RelPath },
    #[error("no longer there: `{path}`")]
    Gone { path: RelPath },
    #[error("changed by someone else: `{path}`")]
    Changed { path: RelPath },
    #[error("named twice in one commit: `{path}`")]
    Twice { path: RelPath },
    #[error("`{id}` has no place in this workspace")]
    Homeless { id: String },
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    File(#[from] FileError),
    /// Only where it could not be taken back.
    #[error("changed by someone else in the middle of the commit: `{path}`; the rest is written")]
    Stranded { path: RelPath },
    #[error("the change is recorded but not yet in place")]
    Unfinished(#[source] FileError),
}

impl CommitError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name, or read what is there",
            Self::Gone { .. } | Self::Changed { .. } => {
                "read it again and repeat the call; nothing was written"
            }
            Self::Twice { .. } => "put each file into a commit once",
            Self::Homeless { .. } => "use a name without folders, `.` or `_` in front",
            Self::Interrupted(_) => "try again, with more time if the workspace is busy; nothing was written",
            Self::File(error) => error.hint(),
            Self::Stranded { .. } => {
                "run `hewto validate`: the text that was meant for it waits in the journal"
            }
            Self::Unfinished(_) => {
                "free the disk or the files; the next write finishes the change or takes it back, and `hewto doctor` tells"
            }
        }
    }
}

impl Transaction {
    pub fn new() -> Self {
        Self { home: LayoutKind::Native, edits: Vec::new() }
    }

    /// A transaction whose new specs and changes go to the root of this layout, if the workspace has it.
    pub fn at_home(home: LayoutKind) -> Self {
        Self { home, edits: Vec::new() }
    }

    /// Writes a whole document.
    pub fn put(&mut self, key: DocKey, text: impl Into<Vec<u8>>, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Put { place: key, bytes: text.into(), expect });
        self
    }

    /// Removes a document.
    pub fn delete(&mut self, key: DocKey, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Delete { place: key, expect });
        self
    }

    /// Goes ahead only if a document that was read for a decision still is what it was. It is not written.
    pub fn require(&mut self, key: DocKey, expect: Expect) -> &mut Self {
        self.edits.push(Edit::Require { place: key, expect });
        self
    }

    /// Moves a folder to a place where nothing stands. Documents inside it are edited before, by their old path.
    pub fn move_dir(&mut self, from: RelPath, to: RelPath) -> &mut Self {
        self.edits.push(Edit::MoveDir { from, to });
        self
    }

    /// Removes a folder with everything in it, if it still holds exactly what its manifest says.
    pub fn delete_dir(&mut self, path: RelPath, seen: ContentHash) -> &mut Self {
        self.edits.push(Edit::DeleteDir { path, seen });
        self
    }
}

impl Default for Transaction {
    fn default() -> Self {
        Self::new()
    }
}

/// Commits edits whose places are known.
pub(crate) fn commit(
    context: &Context,
    root: &Root,
    journal: &Journal<'_>,
    edits: &[Edit<RelPath>],
) -> Result<Committed, CommitError> {
    let Prepared { steps, blobs, changes, folders, required } = prepare(root, edits)?;
    if steps.is_empty() {
        return Ok(Committed::default());
    }
    context.check()?;
    let operation = &context.caller().operation;
    let record = Record::new(context.uuid(), operation, context.now_rfc3339(), steps, folders);
    let staged = journal.stage(record, &blobs)?;
    // Syncing takes a while; whoever edits by hand in the meantime is not overwritten.
    let still_holds = verify(root, &staged.record().steps)
        .and_then(|()| verify_required(root, &required, &[]))
        .and_then(|()| Ok(context.pass_commit_point()?));
    if let Err(error) = still_holds {
        staged.discard();
        return Err(error);
    }
    if let Err(error) = journal.publish(&staged) {
        if journal.has_record() {
            return Err(CommitError::Unfinished(error));
        }
        staged.discard();
        return Err(error.into());
    }
    put_in_place(root, journal, staged.record(), &required)?;
    if let Err(error) = journal.close(staged.record(), &[]) {
        // Everything is in its place; the next holder of the lock closes the record.
        tracing::debug!(%error, "a finished commit could not be closed");
    }
    Ok(Committed { changes })
}

/// Puts everything in its place. Where that fails, or somebody came in between, all of it is taken back: nobody has been
/// told of it yet.
fn put_in_place(
    root: &Root,
    journal: &Journal<'_>,
    record: &Record,
    required: &[Required],
) -> Result<(), CommitError> {
    let left = match journal.apply(record) {
        Ok(left) => left,
        Err(error) => {
            return Err(match journal.undo(record) {
                Ok(()) => error.into(),
                Err(stuck) => {
                    tracing::warn!(error = %stuck, "a commit could neither be finished nor taken back");
                    CommitError::Unfinished(error)
                }
            });
        }
    };
    let moved = verify_required(root, required, &record.steps);
    let changed = match (left.first(), moved) {
        (Some(left), _) => CommitError::Changed { path: left.path.clone() },
        (None, Err(error)) => error,
        (None, Ok(())) => return Ok(()),
    };
    match journal.undo(record) {
        Ok(()) => Err(changed),
        // What could not be taken back stays, and what was left alone waits in the journal.
        Err(error) => {
            tracing::warn!(%error, "a commit that somebody came across could not be taken back");
            let path = left.first().map_or_else(|| record.steps[0].path().clone(), |left| left.path.clone());
            journal.close(record, &journal.stranded_of(record, left)).map_err(CommitError::Unfinished)?;
            Err(CommitError::Stranded { path })
        }
    }
}

/// Whether every edit finds its path as it expects it, and could be done there.
pub(crate) fn rehearse(root: &Root, edits: &[Edit<RelPath>]) -> Result<(), CommitError> {
    prepare(root, edits).map(drop)
}

#[derive(Default)]
struct Prepared<'a> {
    steps: Vec<Step>,
    blobs: Vec<Blob<'a>>,
    changes: Vec<Change>,
    folders: Vec<RelPath>,
    required: Vec<Required>,
}

/// A file that was read for a decision, and what it was.
struct Required {
    path: RelPath,
    expect: Expect,
}

/// Looks at every path and turns edits into steps with exact hashes.
fn prepare<'a>(root: &Root, edits: &'a [Edit<RelPath>]) -> Result<Prepared<'a>, CommitError> {
    let mut prepared = Prepared::default();
    let mut named = BTreeSet::new();
    for edit in edits {
        match edit {
            Edit::Put { place, bytes, expect } => {
                let path = name_once(root, place, &mut named)?;
                let now = look(root, &path)?;
                require(&path, now, *expect)?;
                prepared.need_folders(root, &path)?;
                prepared.add_put(path, bytes, now);
            }
            Edit::Delete { place, expect } => {
                let path = name_once(root, place, &mut named)?;
                let now = look(root, &path)?;
                require(&path, now, *expect)?;
                if let Some((old, _)) = now {
                    prepared.steps.push(Step::Delete { path: path.clone(), old });
                    prepared.changes.push(Change { path, action: Action::Deleted, hash: None });
                }
            }
            Edit::MoveDir { from, to } => {
                require_movable(root, from, to)?;
                prepared.need_folders(root, to)?;
                prepared.steps.push(Step::MoveDir { from: from.clone(), to: to.clone() });
                prepared.changes.push(Change { path: to.clone(), action: Action::Moved, hash: None });
            }
            Edit::DeleteDir { path, seen } => {
                require_same(root, path, *seen)?;
                prepared.steps.push(Step::DeleteDir { path: path.clone(), old: *seen });
                prepared.changes.push(Change { path: path.clone(), action: Action::Deleted, hash: None });
            }
            Edit::Require { place, expect } => {
                prepared.required.push(Required { path: place.clone(), expect: *expect });
            }
        }
    }
    // What is written or removed has an expectation of its own.
    prepared.required.retain(|required| !named.contains(&required.path));
    verify_required(root, &prepared.required, &[])?;
    Ok(prepared)
}

impl<'a> Prepared<'a> {
    fn add_put(&mut self, path: RelPath, bytes: &'a [u8], now: Option<(ContentHash, Attributes)>) {
        let (old, like) = now.unzip();
        let new = ContentHash::of(bytes);
        if old == Some(new) {
            return;
        }
        let blob = self.blobs.len().to_string();
        let action = if old.is_some() { Action::Modified } else { Action::Created };
        self.blobs.push(Blob { name: blob.clone(), bytes, like });
        self.steps.push(Step::Put { path: path.clone(), old, new, blob });
        self.changes.push(Change { path, action, hash: Some(new) });
    }

    /// Notes the folders that have to be made for a path, so that they go again if the commit is taken back.
    fn need_folders(&mut self, root: &Root, path: &RelPath) -> Result<(), FileError> {
        let mut missing = Vec::new();
        let mut folder = path.parent();
        while let Some(path) = folder {
            if root.look(&path).map_err(FileError::at("write", &path))?.is_some() {
                break;
            }
            folder = path.parent();
            missing.push(path);
        }
        for path in missing.into_iter().rev() {
            if !self.folders.contains(&path) {
                self.folders.push(path);
            }
        }
        Ok(())
    }
}

/// The path that is really written: where a link at that place points to, if that is inside.
fn name_once(root: &Root, place: &RelPath, named: &mut BTreeSet<RelPath>) -> Result<RelPath, CommitError> {
    let path = root.resolve_link(place).map_err(FileError::at("write", place))?;
    refuse_git(&path, "write")?;
    // After the commit point it would be too late to find out.
    root.admits_writes(&path).map_err(FileError::at("write", &path))?;
    if named.insert(path.clone()) { Ok(path) } else { Err(CommitError::Twice { path }) }
}

/// Git's own files by their name; where links lead is looked at when the folder is opened.
fn refuse_git(path: &RelPath, doing: &'static str) -> Result<(), FileError> {
    if path.is_in_git() { Err(FileError::at(doing, path)(OfGit.into())) } else { Ok(()) }
}

fn look(root: &Root, path: &RelPath) -> Result<Option<(ContentHash, Attributes)>, CommitError> {
    match present(root, path).map_err(FileError::at("write", path))? {
        Present::Nothing => Ok(None),
        Present::File(hash, attributes) => Ok(Some((hash, attributes))),
        Present::Other => Err(CommitError::Exists { path: path.clone() }),
    }
}

fn require(
    path: &RelPath,
    now: Option<(ContentHash, Attributes)>,
    expect: Expect,
) -> Result<(), CommitError> {
    let path = || path.clone();
    match (expect, now) {
        (Expect::Any, _) | (Expect::Absent, None) => Ok(()),
        (Expect::Absent, Some(_)) => Err(CommitError::Exists { path: path() }),
        (Expect::Hash(_), None) => Err(CommitError::Gone { path: path() }),
        (Expect::Hash(seen), Some((hash, _))) if hash == seen => Ok(()),
        (Expect::Hash(_), Some(_)) => Err(CommitError::Changed { path: path() }),
    }
}

fn require_movable(root: &Root, from: &RelPath, to: &RelPath) -> Result<(), CommitError> {
    refuse_git(from, "move")?;
    refuse_git(to, "move")?;
    let look = |path| root.look(path).map_err(FileError::at("move", path));
    // After the commit point it would be too late to find out.
    for path in [from, to] {
        root.admits_writes(path).map_err(FileError::at("move", path))?;
    }
    manifest::admits_removal_of(root, from).map_err(FileError::at("move", from))?;
    match (look(from)?, look(to)?) {
        (Some(_), None) => Ok(()),
        (None, _) => Err(CommitError::Gone { path: from.clone() }),
        (_, Some(_)) => Err(CommitError::Exists { path: to.clone() }),
    }
}

/// Whether a folder still holds what was seen in it.
fn require_same(root: &Root, path: &RelPath, seen: ContentHash) -> Result<(), CommitError> {
    refuse_git(path, "delete")?;
    root.admits_writes(path).map_err(FileError::at("delete", path))?;
    manifest::admits_removal_of(root, path).map_err(FileError::at("delete", path))?;
    match manifest::read(root, path).map_err(FileError::at("delete", path))? {
        Some(manifest) if manifest.hash == seen => Ok(()),
        Some(_) => Err(CommitError::Changed { path: path.clone() }),
        None => Err(CommitError::Gone { path: path.clone() }),
    }
}

/// Whether every path still is what the record says.
fn verify(root: &Root, steps: &[Step]) -> Result<(), CommitError> {
    for step in steps {
        match step {
            Step::Put { path, old: Some(old), .. } | Step::Delete { path, old } => {
                require(path, look(root, path)?, Expect::Hash(*old))?;
            }
            Step::Put { path, old: None, .. } => require(path, look(root, path)?, Expect::Absent)?,
            Step::MoveDir { from, to } => require_movable(root, from, to)?,
            Step::DeleteDir { path, old } => require_same(root, path, *old)?,
        }
    }
    Ok(())
}

/// Whether every file that was read for a decision still is what it was, after these steps have moved what they move.
fn verify_required(root: &Root, required: &[Required], done: &[Step]) -> Result<(), CommitError> {
    for Required { path, expect } in required {
        let now = done.iter().fold(path.clone(), |path, step| match step {
            Step::MoveDir { from, to } => {
                path.below(from).and_then(|below| to.join(below).ok()).unwrap_or_else(|| path.clone())
            }
            _ => path,
        });
        let is_written = |step: &Step| match step {
            Step::Put { path: written, .. } | Step::Delete { path: written, .. } => written == path,
            Step::DeleteDir { path: folder, .. } => path.below(folder).is_some(),
            Step::MoveDir { .. } => false,
        };
        if !done.iter().any(is_written) {
            // As it was read: through a link, if one leads there.
            let hash =
                doc::read_bytes(root, &now).map_err(|_| CommitError::Changed { path: path.clone() })?;
            let hash = hash.map(|bytes| ContentHash::of(&bytes));
            match (*expect, hash) {
                (Expect::Absent, Some(_)) => return Err(CommitError::Exists { path: path.clone() }),
                (Expect::Hash(_), None) => return Err(CommitError::Gone { path: path.clone() }),
                (Expect::Hash(seen), Some(hash)) if seen != hash => {
                    return Err(CommitError::Changed { path: path.clone() });
                }
                _ => {}
            }
        }
    }
    Ok(())
}
