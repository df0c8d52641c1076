//! What is wrong with records of reviews, and states that no record supports.

use hewto_core::diagnostic::Finding;
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::rules::workspace::STATE_UNSUPPORTED;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Snapshot, StateRead};

use crate::change::{ChangeFolder, standing};
use crate::error::Result;
use crate::gate::{Policy, approval_of};
use crate::review::{Records, Subject};
use crate::workspace::Workspace;

pub(super) fn findings(ws: &Workspace, ctx: &Context, snapshot: &Snapshot) -> Result<Vec<Finding>> {
    // Settings that cannot be understood are a finding of their own.
    let Ok(policy) = Policy::at_the_door(ws, ctx) else { return Ok(Vec::new()) };
    let mut findings = Vec::new();
    for entry in &snapshot.specs {
        ctx.check()?;
        let StateRead::Valid(state) = &entry.state else { continue };
        if entry.has_plan() || state.lifecycle != Lifecycle::Draft {
            let id = WorkItem::Spec(entry.id.clone());
            findings.extend(of_item(ws, ctx, &policy, &id, entry.title(), Some(state))?);
        }
    }
    for folder in ChangeFolder::load_all(ws, ctx)? {
        ctx.check()?;
        let state = standing(ws, ctx, &folder)?.unwrap_or_default();
        let id = WorkItem::Change(folder.entry.id.clone());
        findings.extend(of_item(ws, ctx, &policy, &id, &folder.title(), state.as_ref())?);
    }
    findings.extend(super::archive::findings(ws, ctx, &policy, snapshot)?);
    Ok(findings)
}

fn of_item(
    ws: &Workspace,
    ctx: &Context,
    policy: &Policy,
    id: &WorkItem,
    title: &str,
    state: Option<&WorkflowState>,
) -> Result<Vec<Finding>> {
    let claims_approval =
        state.is_some_and(|state| matches!(state.lifecycle, Lifecycle::Active | Lifecycle::Done));
    let folder = crate::review::folder_of(ws, ctx, id)?;
    let has_records = ws.store().has_folder(&folder.review());
    if !(has_records || (claims_approval && policy.needs_a_person())) {
        return Ok(Vec::new());
    }
    // What cannot be read is told by whoever reads it.
    let Ok(subject) = Subject::of(ws, ctx, id, title.to_owned()) else { return Ok(Vec::new()) };
    let gates = policy.gates_of(&subject);
    let records = Records::read(ws, ctx, &subject.review_folder())?;
    let name = subject.name();
    let weighed = records.weigh(ctx, &name, subject.digest, gates.plan(), &gates);
    let mut findings = records.findings.clone();
    findings.extend(records.doubtful(&weighed.doubts));
    let gate = gates.plan();
    if claims_approval
        && gate.needs_a_person()
        && let Err(point) = approval_of(ws, ctx, &subject, &gates, gate)?
    {
        let told = point.told(ctx);
        let lifecycle = state.map_or(Lifecycle::Draft, |state| state.lifecycle);
        let message = format!("it is '{lifecycle}', but {}", told.message);
        findings.push(STATE_UNSUPPORTED.on(folder.as_str(), None, message, told.hint));
    }
    Ok(findings)
}
