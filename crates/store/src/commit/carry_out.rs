//! Carries a commit out: staged, looked at once more, published, put in its place, closed.

use hewto_core::interrupt::Interrupted;

use super::prepare::{Prepared, Required, prepare};
use super::verify::{verify, verify_required};
use super::{CommitError, Committed, Edit};
use crate::beneath::Root;
use crate::context::Context;
use crate::journal::{Journal, Record, Staged};
use crate::path::RelPath;

/// Commits edits whose places are known.
pub(crate) fn commit(
    context: &Context,
    root: &Root,
    journal: &Journal<'_>,
    edits: &[Edit<RelPath>],
) -> Result<Committed, CommitError> {
    let Prepared { steps, blobs, changes, folders, required, .. } = prepare(root, edits, 0)?;
    if steps.is_empty() {
        return Ok(Committed::default());
    }
    context.check()?;
    let operation = &context.caller().operation;
    let record =
        Record::new(context.uuid(), operation, context.now_rfc3339(), steps, folders).brief_if_alone();
    let staged = journal.stage(record, &blobs)?;
    carry_out(root, journal, staged, &required, || context.pass_commit_point())?;
    Ok(Committed { changes })
}

/// Does what is staged, unless somebody has changed what it rests on. `pass` is asked last before the commit point.
pub(super) fn carry_out(
    root: &Root,
    journal: &Journal<'_>,
    staged: Staged,
    required: &[Required],
    pass: impl FnOnce() -> Result<(), Interrupted>,
) -> Result<(), CommitError> {
    // Syncing takes a while; whoever edits by hand in the meantime is not overwritten.
    let still_holds = verify(root, &staged.record().steps)
        .and_then(|()| verify_required(root, required, &[]))
        .and_then(|()| Ok(pass()?));
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
    put_in_place(root, journal, staged.record(), required)?;
    if let Err(error) = journal.close(staged.record(), &[]) {
        // Everything is in its place; the next holder of the lock closes the record.
        tracing::debug!(%error, "a finished commit could not be closed");
    }
    Ok(())
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
