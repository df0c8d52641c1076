//! What was put away without the word that its gate wants. Whoever moves a folder or a state by hand passes no door.
//!
//! What the default branch has in just these words was let in by whoever guards that branch, or was there before the gate.

use hewto_core::diagnostic::Finding;
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::proof::settings::Gate;
use hewto_core::review::{Channel, Proven, Verdict};
use hewto_core::rules::workspace::{ARCHIVE_FOREIGN, ARCHIVE_UNRECORDED, ARCHIVE_UNSUPPORTED};
use hewto_store::{Context, DocKey, Snapshot, StateRead};

use crate::change::{ChangeFolder, is_withdrawn};
use crate::error::{Error, Result};
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
        if is_withdrawn(&change) {
            continue;
        }
        let finding = match Subject::of_archived(ws, ctx, &change) {
            Ok(subject) => unsupported(ws, ctx, policy, &subject)?,
            Err(error) => Some(unreadable(change.entry.folder.as_str(), &error)),
        };
        let Some(finding) = finding else { continue };
        let deltas = change.deltas.iter().map(|delta| &delta.document);
        let files = [&change.proposal, &change.tasks].into_iter().flatten().chain(deltas);
        let files = files.map(|doc| (doc.path.to_string(), doc.text.clone())).collect();
        found.push(Unsupported { finding, files });
    }
    let files: Vec<(String, String)> = found.iter().flat_map(|one| one.files.iter().cloned()).collect();
    let known = ws.git().same_on_default_branch(ctx, ws.root(), &files);
    let is_known =
        |one: &Unsupported| !one.files.is_empty() && one.files.iter().all(|(path, _)| known.contains(path));
    let (known, unknown): (Vec<_>, Vec<_>) = found.into_iter().partition(is_known);
    let mut findings: Vec<Finding> = unknown.into_iter().map(|one| one.finding).collect();
    // A branch that is only here is guarded by nobody: whoever commits moves it.
    if !known.is_empty() && !ws.git().has_default_elsewhere(ctx, ws.root()) {
        findings.push(unrecorded(&known));
    }
    Ok(findings)
}

/// What only the branches of this repository speak for.
fn unrecorded(known: &[Unsupported]) -> Finding {
    const NAMED: usize = 3;
    let places: Vec<&str> = known.iter().map(|one| one.finding.file.as_str()).collect();
    let named = places.iter().take(NAMED).map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ");
    let more =
        if places.len() > NAMED { format!(" and {} more", places.len() - NAMED) } else { String::new() };
    let message = format!(
        "archived without a record that supports it, and committed to a branch that is only here: {named}{more}"
    );
    let hint = "what was archived before the gate is fine; of the rest `git log` says who committed it";
    ARCHIVE_UNRECORDED.on(places.first().copied().unwrap_or_default(), None, message, hint)
}

fn unreadable(folder: &str, error: &Error) -> Finding {
    let message = format!("it is archived, and whether it was approved cannot be told: {}", error.message);
    ARCHIVE_UNSUPPORTED.on(folder, None, message, "make its files readable, or find out who archived it")
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
    // Where a terminal is enough, another machine's word for the same text may be what a colleague has brought along. What
    // no commit has brought was written here by hand.
    let is_proof_wanted = matches!(gate, Gate::Weakest(Channel::Signed | Channel::Touch));
    if !is_proof_wanted && let Some(by) = approved_elsewhere(ws, ctx, subject)? {
        let message =
            format!("it is archived on the word of `{by}`, which another machine recorded and nobody signed");
        let hint = "ask them, or have approvals signed: `hewto approve --sign KEY`";
        return Ok(Some(ARCHIVE_FOREIGN.on(subject.folder.as_str(), None, message, hint)));
    }
    let message = format!("it is archived, but {}", point.told(ctx).message);
    let hint = "find out who archived it; what a person lets onto the default branch as it is counts there";
    Ok(Some(ARCHIVE_UNSUPPORTED.on(subject.folder.as_str(), None, message, hint)))
}

/// Who approved just this text, by a record that git has brought.
fn approved_elsewhere(ws: &Workspace, ctx: &Context, subject: &Subject) -> Result<Option<String>> {
    let folder = subject.review_folder();
    for voice in Records::read(ws, ctx, &folder)?.voices {
        let head = &voice.record.head;
        let speaks_for_it = voice.proven == Proven::Foreign
            && voice.record.verdict() == Some(Verdict::Approved)
            && head.content == subject.digest
            && head.item == subject.name();
        let Ok(key) = folder.document(&format!("{}.md", voice.uid)) else { continue };
        if !speaks_for_it {
            continue;
        }
        let Some(doc) = ws.store().read(ctx, &key)? else { continue };
        if ws.git().commit_that_brought(ctx, ws.root(), &key.to_string(), &doc.text).is_some() {
            return Ok(Some(head.by.clone()));
        }
    }
    Ok(None)
}
