//! Use cases of builds: start, report, complete.

use std::collections::BTreeMap;

use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::state::WorkflowState;
use hewto_store::{Context, DocKey};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::claim;
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::gate::{self, Door, Passed};
use crate::item::Item;
use crate::plan::{self, ItemPlan};
use crate::spec::{later, progress_view, standing};
use crate::text;
use crate::view::{BuildCompleted, BuildStarted, BuildUpdated};
use crate::workspace::Workspace;

/// Where a state keeps the steps that were dropped.
const DROPPED: &str = "dropped";

/// Whether somebody has reviewed the plan and said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    Given,
    Missing,
}

/// A progress report; everything absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct BuildReport {
    #[serde(rename = "progress_percentage")]
    #[schemars(range(min = 0, max = 100))]
    pub percentage: Option<u8>,
    pub current_step: Option<String>,
    pub notes: Option<String>,
}

/// How a build ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Completion {
    pub summary: String,
    /// From the plan
    pub deviations: Option<String>,
    /// Steps not to be done, by title: the reason
    pub dropped: Option<BTreeMap<String, String>>,
}

/// `build_start`: needs a plan, its approval and no open hard dependency; takes a draft to active.
pub fn start(ws: &Workspace, ctx: &Context, id: &str, approval: Approval) -> Result<BuildStarted> {
    let door = Door::Start { asserted: approval == Approval::Given };
    let ws = &foreseen(ws, ctx, id, door);
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    if !matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Active) {
        return Err(cannot("start", id, state.lifecycle));
    }
    if state.phase == Phase::Build {
        return Err(Error::validation(format!("the build of `{id}` has been started already"))
            .detail("spec_id", id)
            .hint(
                Hint::from(Action::UpdateBuild { item: id.to_owned() })
                    .text(", or ")
                    .action(Action::CompleteBuild { item: id.to_owned() }),
            ));
    }
    let plan = ItemPlan::load(ws, ctx, &item.id)?;
    if approval == Approval::Missing && gate::wants_the_argument(ws, ctx, &item)? {
        return Err(Error::validation(format!("the plan of `{id}` has not been approved"))
            .detail("spec_id", id)
            .detail("path", plan.document.path.as_str())
            .hint(
                Hint::from("let a person review the plan, then ")
                    .action(Action::StartBuild { item: id.to_owned() }),
            ));
    }
    let blocking = standing(ws, ctx, &item)?.blocking;
    if !blocking.is_empty() {
        return Err(Error::dependency_not_satisfied(id, &blocking));
    }
    let mut open = gate::ask(ws, ctx, &item, &state, door)?.open;
    open.extend(lock.remark.clone());
    let notice = gate::notice(ws, ctx)?;
    state.lifecycle = Lifecycle::Active;
    state.phase = Phase::Build;
    let now = ctx.now_rfc3339();
    state.started_at = Some(now.clone());
    state.updated_at = now;
    item.save_state(ctx, &lock, &state)?;
    Ok(BuildStarted {
        spec_id: item.id.to_string(),
        build_started: true,
        phase: state.phase.to_string(),
        plan_steps: plan.plan.steps.len(),
        open,
        notice,
    })
}

/// `build_update`: keeps a progress report.
pub fn update(ws: &Workspace, ctx: &Context, id: &str, report: &BuildReport) -> Result<BuildUpdated> {
    if *report == BuildReport::default() {
        return Err(Error::nothing_to_update("progress_percentage, current_step or notes"));
    }
    if let Some(percentage) = report.percentage.filter(|&percentage| percentage > 100) {
        return Err(Error::invalid_argument(
            "progress_percentage",
            "a number from 0 to 100",
            format!("{percentage} is more than 100 percent"),
        ));
    }
    let current_step = text::optional("current_step", report.current_step.as_deref())?;
    let notes = text::optional("notes", report.notes.as_deref())?;
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    if matches!(state.lifecycle, Lifecycle::Done | Lifecycle::Cancelled | Lifecycle::Archived) {
        return Err(cannot("report on", id, state.lifecycle));
    }
    if state.phase != Phase::Build {
        return Err(Error::validation(format!("the build of `{id}` has not been started"))
            .detail("spec_id", id)
            .hint(Hint::from(Action::StartBuild { item: id.to_owned() }).text(" first")));
    }
    let progress = &mut state.build_progress;
    progress.percentage = report.percentage.unwrap_or(progress.percentage);
    // A text that is given replaces the old one; a blank one clears it.
    if report.current_step.is_some() {
        progress.current_step = current_step;
    }
    if report.notes.is_some() {
        progress.notes = notes;
    }
    state.updated_at = ctx.now_rfc3339();
    item.save_state(ctx, &lock, &state)?;
    Ok(BuildUpdated {
        spec_id: item.id.to_string(),
        updated: true,
        build_progress: progress_view(&state.build_progress),
        updated_at: state.updated_at,
    })
}

/// `build_complete`: takes an item that is being built to done. Steps that are neither done nor dropped stop it where a gate
/// holds, and are told elsewhere.
pub fn complete(ws: &Workspace, ctx: &Context, id: &str, completion: &Completion) -> Result<BuildCompleted> {
    let summary = text::required("summary", &completion.summary)?;
    let deviations = text::optional("deviations", completion.deviations.as_deref())?;
    let ws = &foreseen(ws, ctx, id, Door::Finish { dropped: &[] });
    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock)?;
    let item = Item::load(ws, ctx, id)?;
    let mut state = item.state_to_work_on(ws)?;
    let too_early = if !state.lifecycle.may_become(Lifecycle::Done) {
        Some(Error::invalid_transition(state.lifecycle, Lifecycle::Done))
    } else if state.phase != Phase::Build {
        Some(never_started(id, &state))
    } else {
        None
    };
    match too_early {
        // What else will be in the way is told at once, not one refusal later.
        Some(error) if matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Active) => {
            return Err(gate::with_open_steps(ws, ctx, &item, error)?);
        }
        Some(error) => return Err(error),
        None => {}
    }
    let plan = ItemPlan::find(ws, ctx, &item.id)?;
    let dropped = dropped_steps(plan.as_ref(), completion.dropped.iter().flatten(), id)?;
    let titles: Vec<String> = dropped.iter().map(|(title, _)| title.clone()).collect();
    let Passed { mut open, lacking, .. } =
        gate::ask(ws, ctx, &item, &state, Door::Finish { dropped: &titles })?;
    open.extend(lock.remark.clone());
    let still_open =
        |plan: ItemPlan| plan.open_titles().iter().filter(|title| !titles.contains(title)).count();
    let open_steps = plan.map_or(0, still_open);
    if !dropped.is_empty() {
        let told = dropped.iter().map(|(step, reason)| json!({ "step": step, "reason": reason }));
        state.extra.insert(DROPPED.to_owned(), told.collect());
    }
    let now = ctx.now_rfc3339();
    state.lifecycle = Lifecycle::Done;
    state.build_progress.percentage = 100;
    state.summary = Some(summary);
    state.deviations = deviations;
    state.completed_at = Some(now.clone());
    state.updated_at.clone_from(&now);
    state.reason = None;
    item.save_state(ctx, &lock, &state)?;
    Ok(BuildCompleted {
        spec_id: item.id.to_string(),
        build_completed: true,
        lifecycle_state: state.lifecycle.to_string(),
        completed_at: now,
        open_steps,
        lacking,
        open,
    })
}

/// The workspace that has asked git what this door will ask.
fn foreseen(ws: &Workspace, ctx: &Context, id: &str, door: Door<'_>) -> Workspace {
    ws.foreseeing(|ws| {
        let item = Item::load(ws, ctx, id)?;
        gate::ask(ws, ctx, &item, &item.state_to_work_on(ws)?, door)
    })
}

/// The `airsspec:///{spec_id}/state` resource: the file as it stands, or what its absence means.
pub fn state_text(ws: &Workspace, ctx: &Context, id: &str) -> Result<String> {
    let item = Item::load(ws, ctx, id)?;
    match ws.store().read(ctx, &DocKey::State(item.id.clone()))? {
        Some(doc) => Ok(doc.text),
        None => Ok(WorkflowState { updated_at: last_touched(ws, ctx, &item)?, ..item.state()? }.render()),
    }
}

/// When a spec without a state was last touched: as it says itself, else as its file does.
fn last_touched(ws: &Workspace, ctx: &Context, item: &Item) -> Result<String> {
    if let Some(said) =
        item.spec().and_then(|spec| later(spec.head.updated_at.clone(), spec.head.created_at.clone()))
    {
        return Ok(said);
    }
    let entry = match item.spec() {
        Some(spec) => ws.store().entry(ctx, &spec.id)?,
        None => None,
    };
    let at = entry.and_then(|entry| jiff::Timestamp::from_nanosecond(entry.stamps.spec.mtime_ns.into()).ok());
    Ok(at.map_or_else(|| ctx.now_rfc3339(), |at| at.to_string()))
}

/// The steps that a caller drops, by their titles, each with the reason.
fn dropped_steps<'d>(
    plan: Option<&ItemPlan>,
    dropped: impl Iterator<Item = (&'d String, &'d String)>,
    id: &str,
) -> Result<Vec<(String, String)>> {
    dropped
        .map(|(name, reason)| {
            let reason = text::required(&format!("dropped/{name}"), reason)?;
            let plan = plan.ok_or_else(|| Error::plan_not_found(id))?;
            let index = plan::find_step(plan, &name.as_str().into()).map_err(|error| {
                let told = Error::invalid_argument("dropped", "steps by title or number", error.message);
                match error.hint {
                    Some(hint) => told.hint(hint),
                    None => told,
                }
            })?;
            Ok((plan.plan.steps[index].title.clone(), reason))
        })
        .collect()
}

/// The titles of the steps that were dropped when an item was finished.
pub(crate) fn dropped_titles(state: &WorkflowState) -> Vec<String> {
    let dropped = state.extra.get(DROPPED).and_then(serde_json::Value::as_array);
    let titles = dropped.into_iter().flatten().filter_map(|one| one["step"].as_str());
    titles.map(str::to_owned).collect()
}

fn cannot(verb: &str, id: &str, state: Lifecycle) -> Error {
    let valid: Vec<&str> = state.transitions().iter().map(|state| state.as_str()).collect();
    Error::new(
        Kind::Refused,
        Key::InvalidTransition,
        format!("cannot {verb} the build of `{id}` while it is '{state}'"),
    )
    .detail("valid_transitions", json!(valid))
    .hint(match valid.as_slice() {
        [] => Hint::from("it is final; create a new spec to go on"),
        valid => Hint::from(format!("from '{state}' it can go to `{}`: ", valid.join("`, `")))
            .action(Action::TransitionSpec { item: id.to_owned() }),
    })
}

fn never_started(id: &str, state: &WorkflowState) -> Error {
    let valid: Vec<&str> = state.lifecycle.transitions().iter().map(|state| state.as_str()).collect();
    Error::new(Kind::Refused, Key::InvalidTransition, format!("the build of `{id}` has not been started"))
        .detail("valid_transitions", json!(valid))
        .hint(
            Hint::from(Action::StartBuild { item: id.to_owned() })
                .text(" first, or ")
                .action(Action::TransitionSpec { item: id.to_owned() }),
        )
}
