//! `lifecycle.plan_creation` and `lifecycle.create`.

use std::collections::BTreeMap;

use hewto_core::artifact::ArtifactKind;
use hewto_core::id::SpecId;
use hewto_store::{Context, DocKey, Expect, LayoutKind, Transaction};
use serde_json::{Value, json};

use super::Run;
use super::envelope::succeeded;
use super::plan_store::{Intent, Plan};
use super::request::{CreationRequest, Draft};
use crate::concept;
use crate::error::{Action, Error, Key, Kind, Result};
use crate::page::DEFAULT_MAX_CHARS;
use crate::template::{REMINDER, directive_views};
use crate::view::{ArtifactIdView, CreationPlan, EnvelopeView, RenderedView};
use crate::workspace::Workspace;

/// What a list of tasks begins with.
const TASKS: &str = "# Tasks\n\n- [ ] First step\n";

/// Renders a new artifact without writing it, and keeps the plan.
pub fn plan_creation(ws: &Workspace, ctx: &Context, request: &CreationRequest) -> Result<CreationPlan> {
    let draft = request.draft(ws, ctx)?;
    let plan = Plan::keep(ws, ctx, draft.seen.clone(), Intent::Creation(Box::new(request.clone())))?;
    Ok(view(&plan, request, &draft))
}

/// Writes what a plan says, if nothing that it saw has changed. `tokens` add to those of the plan.
pub fn create(
    ws: &Workspace,
    ctx: &Context,
    plan_id: &str,
    tokens: BTreeMap<String, Value>,
    run: Run,
) -> Result<EnvelopeView> {
    let inputs = json!({ "plan_id": plan_id, "tokens": tokens, "dry_run": run == Run::Dry });
    let (lock, ref ws) = match run {
        Run::Real => ws.lock(ctx).map(|(lock, held)| (Some(lock), held))?,
        Run::Dry => (None, ws.clone()),
    };
    let plan = Plan::load(ws, ctx, plan_id)?;
    let Intent::Creation(request) = &plan.intent else {
        return Err(other_plan(plan_id, "delete", Action::DeleteArtifact));
    };
    let mut request = (**request).clone();
    request.tokens.extend(tokens);
    // A target that is taken by now is a stale plan too, and says so by its own error.
    let draft = request.draft(ws, ctx)?;
    plan.require_fresh(&draft.seen)?;
    let Some(lock) = lock else {
        ctx.note(json!({ "dry_run": true, "would_create": draft.path.as_str() }));
        return Ok(succeeded(ws, ctx, inputs));
    };
    let mut transaction = Transaction::at_home(LayoutKind::Specman);
    transaction.put(draft.key, draft.text, Expect::Absent);
    if request.kind == ArtifactKind::ScratchPad
        && let Ok(id) = SpecId::parse(&request.name)
    {
        transaction.put(DocKey::ScratchTasks(id), TASKS, Expect::Absent);
    }
    lock.commit(ctx, transaction)?;
    plan.use_up(ws)?;
    drop(lock);
    ctx.note(json!({ "created": draft.handle }));
    Ok(succeeded(ws, ctx, inputs))
}

fn view(plan: &Plan, request: &CreationRequest, draft: &Draft) -> CreationPlan {
    let budget = DEFAULT_MAX_CHARS / 2;
    let total = draft.text.chars().count();
    CreationPlan {
        plan_id: plan.id.clone(),
        expires_at: plan.expires_at.to_string(),
        target: ArtifactIdView { kind: request.kind.as_str().to_owned(), name: request.name.clone() },
        handle: draft.handle.clone(),
        path: draft.path.clone(),
        rendered: RenderedView {
            body: draft.text.chars().take(budget).collect(),
            omitted_chars: (total > budget).then(|| total - budget),
            metadata: draft.front_matter.clone(),
            provenance: draft.template.provenance.clone(),
        },
        dependencies: draft.dependencies.clone(),
        html_directives: directive_views(&draft.text),
        reminder: REMINDER.to_owned(),
    }
}

/// The plan is there to do something else, which `action` does.
pub(super) fn other_plan(plan_id: &str, verb: &str, action: Action) -> Error {
    Error::new(Kind::Refused, Key::PlanMismatch, format!("`{plan_id}` is a plan to {verb} something"))
        .detail("concept_ref", concept::LIFECYCLE_AUTOMATION)
        .hint(action.to("carry it out"))
}
