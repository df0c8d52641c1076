//! A single call in a process of its own, such as a command: no turns to wait for, no thread but this one.

use hewto_engine::{Context, Result, record};
use hewto_store::{AuditWriter, Layout};

use crate::guard::guarded;
use crate::operation::Operation;

/// Runs `work` and notes how it went in the operation log that `layout` names.
///
/// The layout is asked for when the work is over: an operation that makes a workspace is noted in it, one that takes
/// its last file away leaves no log behind. A log that cannot be written fails nobody.
pub fn once<T>(
    context: &Context,
    operation: Operation,
    layout: impl FnOnce() -> Option<Layout>,
    work: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let mut envelope = operation.into_envelope(context);
    let outcome = guarded(|| {
        context.check()?;
        work(context)
    });
    let Some(layout) = layout() else { return outcome };
    record::complete(&mut envelope, context, Some(&layout), outcome.as_ref().err());
    match AuditWriter::start(&layout, context.clock().clone()) {
        Ok(writer) => writer.operation(envelope),
        Err(error) => tracing::warn!(%error, "the operation is not logged"),
    }
    outcome
}
