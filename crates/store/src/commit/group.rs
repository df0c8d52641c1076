//! Commits that are carried out together: writers of one process that wait for the lock at the same time share one record,
//! and so its fsyncs (docs/adr/0019).
//!
//! Each holder of the lock decides on the tree as the commits before it will have it, stages its contents without syncing
//! them, and leaves the lock to the next. Whoever finds that nobody waits any more, or that the group is full, carries all
//! of them out as one commit. Nobody is told of theirs before that is durable. What fails as a group is done one by one, in
//! order; from the first that fails on all fail, because the later ones may rest on it.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::carry_out::{carry_out, commit};
use super::prepare::{Required, prepare};
use super::ticket::Ticket;
use super::{Change, CommitError, Committed, Edit, Expect};
use crate::beneath::Root;
use crate::context::Context;
use crate::error::FileError;
use crate::hash::ContentHash;
use crate::journal::{Journal, Put, Record, Stage, Step};
use crate::overlay::Overlay;
use crate::path::RelPath;

/// How many commits share a record. More would keep the first waiting for longer than they save.
const MOST: usize = 32;
/// How long the first waits for others to come; other processes want the lock too. Tests that look at an open group must find it
/// open on a busy machine as well.
const LONGEST: Duration = Duration::from_millis(if cfg!(feature = "fault-injection") { 2_000 } else { 20 });

/// The commits of this process that wait to be carried out together. Only the holder of the lock comes here.
#[derive(Debug, Default)]
pub(crate) struct Group(Mutex<Option<Open>>);

#[derive(Debug)]
struct Open {
    since: Instant,
    stage: Stage,
    members: Vec<Member>,
    /// The root as it will be.
    view: Root,
    overlay: Overlay,
    /// What will stand where.
    written: BTreeMap<RelPath, Option<ContentHash>>,
    blobs: usize,
}

#[derive(Debug)]
struct Member {
    context: Context,
    edits: Vec<Edit<RelPath>>,
    steps: Vec<Step>,
    folders: Vec<RelPath>,
    required: Vec<Required>,
    changes: Vec<Change>,
    ticket: Arc<Ticket>,
}

/// Members are told something, whatever happens to the thread that works for them.
struct Promise(Vec<Arc<Ticket>>);

impl Drop for Promise {
    fn drop(&mut self) {
        for ticket in &self.0 {
            let source = std::io::Error::other("the thread that carried it out has died");
            let error = FileError { doing: "write the journal", path: ".".to_owned(), source };
            ticket.tell(Err(CommitError::Unfinished(error)));
        }
    }
}

impl Group {
    pub(crate) fn is_open(&self) -> bool {
        self.open().is_some()
    }

    /// Whether one more may come.
    pub(crate) fn has_room(&self) -> bool {
        self.open().as_ref().is_none_or(|open| open.members.len() < MOST && open.since.elapsed() < LONGEST)
    }

    /// The root as the commits that wait will have it; `None` when none waits.
    pub(crate) fn view(&self) -> Option<Root> {
        self.open().as_ref().map(|open| open.view.clone())
    }

    /// A context to carry them out in.
    pub(crate) fn context(&self) -> Option<Context> {
        self.open().as_ref()?.members.first().map(|member| member.context.clone())
    }

    /// Adds a commit. Its context has passed its commit point when this succeeds.
    pub(crate) fn join(
        &self,
        context: &Context,
        root: &Root,
        journal: &Journal<'_>,
        mut edits: Vec<Edit<RelPath>>,
    ) -> Result<Arc<Ticket>, CommitError> {
        // Whoever writes what another one writes or makes a folder of what is a file there waits for its own record.
        let is_apart = match &*self.open() {
            Some(open) => open.is_apart(root, &edits)?,
            None => true,
        };
        if !is_apart {
            self.carry_out(root, journal)?;
        }
        let mut slot = self.open();
        if slot.is_none() {
            *slot = Some(Open::begin(context, root, journal)?);
        }
        let open = slot.as_mut().expect("it was just opened");
        open.settle(&mut edits)?;
        let joined = open.add(context, root, edits);
        if joined.is_err() && open.members.is_empty() {
            slot.take().expect("it is open").stage.discard();
        }
        joined
    }

    /// Carries out what waits and tells everybody. An error says that not all of it could be done.
    pub(crate) fn carry_out(&self, root: &Root, journal: &Journal<'_>) -> Result<(), CommitError> {
        let Some(Open { stage, members, .. }) = self.open().take() else { return Ok(()) };
        let _promise = Promise(members.iter().map(|member| Arc::clone(&member.ticket)).collect());
        match together(root, journal, stage, &members) {
            Ok(()) => {
                for member in members {
                    member.ticket.tell(Ok(Committed { changes: member.changes }));
                }
                Ok(())
            }
            // It stands in the journal: nothing else can be done before it is finished or taken back.
            Err(error @ (CommitError::Unfinished(_) | CommitError::Stranded { .. })) => {
                for member in &members {
                    member.ticket.tell(Err(error.told_again()));
                }
                Err(error)
            }
            Err(error) => {
                tracing::debug!(%error, "commits could not be carried out together");
                one_by_one(root, journal, members)
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn begin(context: &Context, root: &Root, journal: &Journal<'_>) -> Result<Self, CommitError> {
        Ok(Self {
            since: Instant::now(),
            stage: journal.begin(context.uuid())?,
            members: Vec::new(),
            view: root.clone(),
            overlay: Overlay::default(),
            written: BTreeMap::new(),
            blobs: 0,
        })
    }

    /// Whether edits have nothing to do with the places that are written already.
    fn is_apart(&self, root: &Root, edits: &[Edit<RelPath>]) -> Result<bool, CommitError> {
        for edit in edits {
            let (Edit::Put { place, .. } | Edit::Delete { place, .. }) = edit else { continue };
            let path = root.resolve_link(place).map_err(FileError::at("write", place))?;
            let meets = |other: &RelPath| {
                *other == path || other.below(&path).is_some() || path.below(other).is_some()
            };
            if self.written.keys().any(meets) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes out of the edits what they require of files that are written in the same record.
    fn settle(&self, edits: &mut Vec<Edit<RelPath>>) -> Result<(), CommitError> {
        let mut changed = None;
        edits.retain(|edit| {
            let Edit::Require { place, expect } = edit else { return true };
            let Some(will_be) = self.written.get(place) else { return true };
            let holds = match expect {
                Expect::Any => true,
                Expect::Absent => will_be.is_none(),
                Expect::Hash(seen) => *will_be == Some(*seen),
            };
            if !holds {
                changed = Some(place.clone());
            }
            false
        });
        changed.map_or(Ok(()), |path| Err(CommitError::Changed { path }))
    }

    fn add(
        &mut self,
        context: &Context,
        root: &Root,
        mut edits: Vec<Edit<RelPath>>,
    ) -> Result<Arc<Ticket>, CommitError> {
        let prepared = prepare(root, &edits, self.blobs)?;
        context.check()?;
        // A name is used once, also when its content could not be written whole.
        self.blobs += prepared.blobs.len();
        for blob in &prepared.blobs {
            self.stage.add(blob).map_err(|source| FileError {
                doing: "write the journal",
                path: blob.name.clone(),
                source,
            })?;
        }
        let (steps, slots) = (prepared.steps, self.stage.slots().as_fd());
        let overlay = self.overlay.clone().and(root, slots, &steps).map_err(|source| FileError {
            doing: "read the journal",
            path: ".".to_owned(),
            source,
        })?;
        // From here on it is carried out with the others.
        context.pass_commit_point()?;
        self.view = root.seen_through(Arc::new(overlay.clone()));
        self.overlay = overlay;
        for step in &steps {
            let will_be = match step {
                Step::Put(Put { new, .. }) => Some(*new),
                _ => None,
            };
            self.written.insert(step.path().clone(), will_be);
        }
        let ticket = Arc::new(Ticket::default());
        let (folders, required, changes) = (prepared.folders, prepared.required, prepared.changes);
        pin(root, &mut edits, &steps);
        let context = context.clone();
        let member =
            Member { context, folders, required, changes, steps, edits, ticket: Arc::clone(&ticket) };
        self.members.push(member);
        Ok(ticket)
    }
}

/// Makes edits expect what was found, so that doing them later overwrites nothing that has come since.
fn pin(root: &Root, edits: &mut [Edit<RelPath>], steps: &[Step]) {
    for edit in edits {
        let (place, expect, unchanged) = match edit {
            Edit::Put { place, bytes, expect } => (place, expect, Some(ContentHash::of(bytes))),
            Edit::Delete { place, expect } => (place, expect, None),
            Edit::MoveDir { .. } | Edit::DeleteDir { .. } | Edit::Require { .. } => continue,
        };
        let path = root.resolve_link(place).unwrap_or_else(|_| place.clone());
        let found = match steps.iter().find(|step| *step.path() == path) {
            Some(Step::Put(Put { old, .. })) => *old,
            Some(Step::Delete { old, .. }) => Some(*old),
            _ => unchanged,
        };
        *expect = found.map_or(Expect::Absent, Expect::Hash);
    }
}

/// Whether edits can share a record with those of others: folders that are moved or removed have one of their own.
pub(crate) fn can_share(edits: &[Edit<RelPath>]) -> bool {
    edits.iter().all(|edit| matches!(edit, Edit::Put { .. } | Edit::Delete { .. } | Edit::Require { .. }))
}

/// One record for all.
fn together(root: &Root, journal: &Journal<'_>, stage: Stage, members: &[Member]) -> Result<(), CommitError> {
    let Some(first) = members.first() else {
        stage.discard();
        return Ok(());
    };
    let mut operations: Vec<&str> = Vec::new();
    let (mut steps, mut folders, mut required) = (Vec::new(), Vec::new(), Vec::new());
    let shares = members.iter().map(|member| member.steps.len()).collect();
    for member in members {
        let operation = member.context.caller().operation.as_str();
        if !operations.contains(&operation) {
            operations.push(operation);
        }
        steps.extend(member.steps.iter().cloned());
        for folder in &member.folders {
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        required.extend(member.required.iter().map(Required::again));
    }
    if steps.is_empty() {
        stage.discard();
        return Ok(());
    }
    let context = &first.context;
    let record = Record::new(stage.tx(), &operations.join(", "), context.now_rfc3339(), steps, folders);
    // Should it have to be finished beside somebody's edit, each of them is there whole or not at all.
    let record = record.shared(shares).brief_if_alone();
    let staged = journal.seal(stage, record)?;
    carry_out(root, journal, staged, &required, || Ok(()))
}

/// A record for each, as far as they can be done.
fn one_by_one(root: &Root, journal: &Journal<'_>, members: Vec<Member>) -> Result<(), CommitError> {
    let mut failed: Option<CommitError> = None;
    for Member { context, edits, ticket, .. } in members {
        let outcome = match &failed {
            Some(error) => Err(error.told_again()),
            None => commit(&context, root, journal, &edits),
        };
        if let Err(error) = &outcome
            && failed.is_none()
        {
            failed = Some(error.told_again());
        }
        ticket.tell(outcome);
    }
    failed.map_or(Ok(()), Err)
}

#[cfg(all(test, feature = "fault-injection"))]
#[allow(clippy::unwrap_used, reason = "tests may; the lint knows them by `cfg(test)` alone")]
mod tests;
