//! What was put away without the word that its gate wants. Whoever moves a folder or a state by hand passes no door.
//!
//! What the default branch has in just these words was let in by whoever guards that branch, or was there before the gate.

use hewto_core::diagnostic::Finding;
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::proof::settings::Gate;
use hewto_core::review::{Channel, Proven, Verdict};
use hewto_core::rules::workspace::ARCHIVE_UNSUPPORTED;
use hewto_store::{Context, DocKey, Snapshot, StateRead};

use crate::change::ChangeFolder;
use crate::error::Result;
use crate::gate::{Policy, approval_of};
use crate::review::{Records, Subject};
use crate::workspace::Workspace;

/// Something archived that no record supports, with the files that say that it is.
struct Unsupported {
    finding: Finding,
    files: Vec<(String, String)>,
}

pub(super) fn findings(
    ws: &Workspace,
    ctx: &Context,
    policy: &Policy,
    snapshot: &Snapshot,
) -> Result<Vec<Finding>> {
    if !policy.needs_a_person() {
        return Ok(Vec::new());
    }
    let mut found = specs(ws, ctx, policy, snapshot)?;
    for change in ChangeFolder::load_archived(ws, ctx)? {
        ctx.check()?;
        let Ok(subject) = Subject::of_archived(ws, ctx, &change) else { continue };
        let Some(finding) = unsupported(ws, ctx, policy, &subject)? else { continue };
        let deltas = change.deltas.iter().map(|delta| &delta.document);
        let files = [&change.proposal, &change.tasks].into_iter().flatten().chain(deltas);
        let files = files.map(|doc| (doc.path.to_string(), doc.text.clone())).collect();
        found.push(Unsupported { finding, files });
    }
    let files: Vec<(String, String)> = found.iter().flat_map(|one| one.files.iter().cloned()).collect();
    let known = ws.git().same_on_default_branch(ctx, ws.root(), &files);
    found.retain(|one| one.files.is_empty() || !one.files.iter().all(|(path, _)| known.contains(path)));
    Ok(found.into_iter().map(|one| one.finding).collect())
}

fn specs(ws: &Workspace, ctx: &Context, policy: &Policy, snapshot: &Snapshot) -> Result<Vec<Unsupported>> {
    let mut found = Vec::new();
    for entry in &snapshot.specs {
        ctx.check()?;
        let StateRead::Valid(state) = &entry.state else { continue };
        if state.lifecycle != Lifecycle::Archived {
            continue;
        }
        let id = WorkItem::Spec(entry.id.clone());
        let Ok(subject) = Subject::of(ws, ctx, &id, entry.title().to_owned()) else { continue };
        let Some(finding) = unsupported(ws, ctx, policy, &subject)? else { continue };
        let state = ws.store().read(ctx, &DocKey::State(id))?;
        let files = state.into_iter().map(|doc| (doc.path.to_string(), doc.text)).collect();
        found.push(Unsupported { finding, files });
    }
    Ok(found)
}

fn unsupported(ws: &Workspace, ctx: &Context, policy: &Policy, subject: &Subject) -> Result<Option<Finding>> {
    let gates = policy.gates_of(subject);
    let gate = gates.archive().stricter(gates.plan());
    if !gate.needs_a_person() {
        return Ok(None);
    }
    let Err(point) = approval_of(ws, ctx, subject, &gates, gate)? else { return Ok(None) };
    // Where a terminal is enough, another machine's word for the same text is what a colleague has brought along.
    let is_proof_wanted = matches!(gate, Gate::Weakest(Channel::Signed | Channel::Touch));
    if !is_proof_wanted && was_approved_elsewhere(ws, ctx, subject)? {
        return Ok(None);
    }
    let message = format!("it is archived, but {}", point.told(ctx).message);
    let hint = "find out who archived it; what a person lets onto the default branch as it is counts there";
    Ok(Some(ARCHIVE_UNSUPPORTED.on(subject.folder.as_str(), None, message, hint)))
}

fn was_approved_elsewhere(ws: &Workspace, ctx: &Context, subject: &Subject) -> Result<bool> {
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    Ok(records.voices.iter().any(|voice| {
        let head = &voice.record.head;
        voice.proven == Proven::Foreign
            && voice.record.verdict() == Some(Verdict::Approved)
            && head.content == subject.digest
            && head.item == subject.name()
    }))
}
