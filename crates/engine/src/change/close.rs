//! What else comes to its end when a change is archived: its own state, and the task that led to it.

use hewto_core::decision::link::decision_of;
use hewto_core::decision::record::Task;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use super::ChangeFolder;
use crate::error::Result;
use crate::item::Item;
use crate::workspace::Workspace;

/// A change that somebody worked on is archived with its state.
pub(super) fn put_final_state(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    transaction: &mut Transaction,
) -> Result<()> {
    let item = Item::load(ws, ctx, &format!("change:{}", folder.id()))?;
    if !item.has_state() {
        return Ok(());
    }
    let state =
        WorkflowState { lifecycle: Lifecycle::Archived, updated_at: ctx.now_rfc3339(), ..item.state()? };
    item.put_state(transaction, &state)
}

/// The current task that led to this change is done with it: it goes to the archive of tasks.
#[expect(clippy::unnecessary_wraps, reason = "as the other parts of archiving, which can fail")]
pub(super) fn close_task(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    transaction: &mut Transaction,
) -> Result<Option<String>> {
    let Some(decision) = folder.proposal.as_ref().and_then(|doc| decision_of(&doc.text)) else {
        return Ok(None);
    };
    let places = ws.places();
    let current = DocKey::Own(Own::CurrentTask);
    // A task that cannot be read is `validate`'s business.
    let Ok(Some(doc)) = ws.store().read(ctx, &current) else { return Ok(None) };
    let Ok(task) = Task::read(&doc.text) else { return Ok(None) };
    if task.related_adr.as_ref() != Some(&decision) {
        return Ok(None);
    }
    let Ok(key) = places.task_archive.document(&task.file_name()) else { return Ok(None) };
    if !ws.store().stands(&key) {
        transaction.put(key, doc.text.as_str(), Expect::Absent);
    }
    transaction.delete(current, Expect::Hash(doc.hash));
    Ok(Some(task.title))
}
