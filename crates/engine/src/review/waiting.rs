//! What waits for people, over the whole workspace.

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Snapshot};

use super::comment::open_comments;
use super::next_gate::AtNextGate;
use super::records::Records;
use super::show::standing_name;
use super::subject::{Subject, folder_of};
use crate::change::ChangeFolder;
use crate::error::Result;
use crate::gate::Policy;
use crate::spec::work_state;
use crate::view::WaitingView;
use crate::workspace::Workspace;

/// Items that a person has to decide about, and items with open comments.
pub(crate) fn waiting(
    ws: &Workspace,
    ctx: &Context,
    snapshot: &Snapshot,
    changes: &[ChangeFolder],
) -> Result<Vec<WaitingView>> {
    // Settings that cannot be understood are reported by `validate`.
    let Ok(policy) = Policy::at_the_door(ws, ctx) else { return Ok(Vec::new()) };
    let planned = snapshot.specs.iter().filter(|entry| {
        let open = |state: &WorkflowState| matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Active);
        entry.has_plan() && work_state(ws, ctx, entry).is_some_and(|state| open(&state))
    });
    let specs = planned.map(|entry| (WorkItem::Spec(entry.id.clone()), entry.title().to_owned()));
    let changes = changes.iter().filter(|change| change.planned_tasks().is_some());
    let changes = changes.map(|change| (WorkItem::Change(change.entry.id.clone()), change.title()));
    let mut waiting = Vec::new();
    for (id, title) in specs.chain(changes) {
        ctx.check()?;
        let has_records = folder_of(ws, ctx, &id).is_ok_and(|folder| ws.store().has_folder(&folder.review()));
        if has_records || policy.needs_a_person() {
            waiting.extend(of_item(ws, ctx, &policy, &id, title)?);
        }
    }
    Ok(waiting)
}

fn of_item(
    ws: &Workspace,
    ctx: &Context,
    policy: &Policy,
    id: &WorkItem,
    title: String,
) -> Result<Option<WaitingView>> {
    let Ok(subject) = Subject::of(ws, ctx, id, title) else { return Ok(None) };
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let name = subject.name();
    let AtNextGate { gate, weighed, .. } = AtNextGate::of(ws, ctx, policy, &subject, &records);
    let comments = open_comments(ctx, &records, &subject.meaning)?;
    let standing = standing_name(&weighed.standing);
    let waits = gate.needs_a_person() && standing != "approved";
    Ok((waits || !comments.is_empty()).then(|| WaitingView {
        item: name,
        standing: standing.to_owned(),
        version: records.version_of(&subject.digest),
        comments,
        waits,
    }))
}
