//! What an item needs next: in words for people, and as the exact call.

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::spec::Dependency;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, Snapshot, SpecEntry};

use super::Faults;
use crate::change::{self, ChangeFolder, standing};
use crate::error::{Action, Result};
use crate::gate;
use crate::item::Item;
use crate::plan::ItemPlan;
use crate::spec::{open_hard_dependencies, target_id};
use crate::view::{BlockedView, ReadyView};
use crate::workspace::Workspace;

/// The longest title that a call names a step by.
const MOST_OF_A_TITLE: usize = 60;

/// The rank of what waits for a person.
pub(super) const AWAITING: u8 = 2;

/// Where a gate stands nothing comes before a person's word.
pub(super) fn await_person(ctx: &Context, one: &mut ReadyView) {
    let item = one.item.clone();
    one.next = format!("look at it and decide: hewto approve {item}");
    "a person has to agree to it first".clone_into(&mut one.why);
    one.call =
        ctx.call(&Action::AwaitApproval { item: item.clone() }, &format!("{{\"spec_id\": \"{item}\"}}"));
    one.waits_for_person = true;
}

/// Whether a plan is opened by a person's word, and not by an argument.
pub(super) fn is_gated(ws: &Workspace, ctx: &Context, item: &str) -> bool {
    !gate::is_unset(ws, ctx)
        && Item::load(ws, ctx, item)
            .and_then(|item| gate::wants_the_argument(ws, ctx, &item))
            .is_ok_and(|by_argument| !by_argument)
}

/// What waited for a person has their word; its rank then.
pub(super) fn go_ahead(ctx: &Context, one: &mut ReadyView) -> u8 {
    let item = one.item.clone();
    one.next = format!("start it: hewto build start {item}");
    "a person has agreed to it, and nobody has begun".clone_into(&mut one.why);
    one.call = ctx.call(&Action::StartBuild { item: item.clone() }, &format!("{{\"spec_id\": \"{item}\"}}"));
    one.waits_for_person = false;
    1
}

/// What a spec needs next, with its rank: what is furthest along comes first.
pub(super) fn spec_next(
    ws: &Workspace,
    ctx: &Context,
    snapshot: &Snapshot,
    entry: &SpecEntry,
    state: &WorkflowState,
    ready: &mut Vec<(u8, ReadyView)>,
    blocked: &mut Vec<BlockedView>,
) -> Result<()> {
    let item = entry.id.to_string();
    let title = entry.title().to_owned();
    let name = |dependency: &Dependency| {
        target_id(dependency).map_or_else(|| dependency.target.clone(), |id| id.to_string())
    };
    let waits_for: Vec<String> = open_hard_dependencies(snapshot, entry).map(name).collect();
    let is_begun = state.lifecycle == Lifecycle::Active && state.phase == Phase::Build;
    let is_open = matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Active | Lifecycle::Blocked);
    if is_open && !is_begun && !waits_for.is_empty() {
        blocked.push(BlockedView { item, title, by: waits_for });
        return Ok(());
    }
    if state.lifecycle == Lifecycle::Blocked {
        let by =
            state.reason.clone().map_or_else(|| vec!["nothing says what".to_owned()], |reason| vec![reason]);
        blocked.push(BlockedView { item, title, by });
        return Ok(());
    }
    let call = |action: Action, more: &str| ctx.call(&action, &format!("{{\"spec_id\": \"{item}\"{more}}}"));
    let (rank, next, why, call) = match (state.lifecycle, state.phase, entry.has_plan()) {
        (Lifecycle::Active, Phase::Build, _) => {
            let step = |plan: &ItemPlan| {
                let step = plan.plan.current_step()?;
                let place = plan.plan.steps.iter().position(|one| std::ptr::eq(one, step))?;
                Some((place, step.title.clone()))
            };
            match ItemPlan::find(ws, ctx, &WorkItem::Spec(entry.id.clone())) {
                Ok(plan) => match plan.as_ref().and_then(step) {
                    Some((place, step)) => (
                        0,
                        format!("continue with step `{step}`"),
                        "it is being built",
                        call(
                            Action::CompleteStep { item: item.clone() },
                            &format!(", \"step\": {}", step_name(place, &step)),
                        ),
                    ),
                    None => (
                        0,
                        format!("finish it: hewto build done {item} --summary \"…\""),
                        "every step of its plan is done",
                        call(Action::CompleteBuild { item: item.clone() }, ", \"summary\": …"),
                    ),
                },
                Err(error) if error.details.contains_key("file") => {
                    let next = "correct its plan: hewto validate".to_owned();
                    (0, next, "its plan cannot be read", call(Action::ShowSpec { item: item.clone() }, ""))
                }
                Err(error) => return Err(error),
            }
        }
        (Lifecycle::Draft | Lifecycle::Active, _, true) => (
            AWAITING,
            format!("review the plan, then hewto build start {item} --approve"),
            "it has a plan and nothing blocks it",
            call(Action::StartBuild { item: item.clone() }, ", \"plan_approved\": true"),
        ),
        (Lifecycle::Draft | Lifecycle::Active, _, false) => {
            let next = format!("make a plan: hewto plan new {item}");
            (
                3,
                next,
                "it has no plan yet and nothing blocks it",
                call(Action::CreatePlan { item: item.clone() }, ", …"),
            )
        }
        (Lifecycle::Done, ..) => {
            let next = format!("archive it: hewto spec move {item} archived");
            (
                4,
                next,
                "it is done",
                call(Action::TransitionSpec { item: item.clone() }, ", \"to_state\": \"archived\""),
            )
        }
        (Lifecycle::Cancelled | Lifecycle::Archived | Lifecycle::Blocked, ..) => return Ok(()),
    };
    // A plan that was made waits for somebody who agrees to it.
    let waits_for_person = rank == AWAITING;
    ready.push((rank, ReadyView { item, title, next, why: why.to_owned(), call, waits_for_person }));
    Ok(())
}

/// What a change needs next, with its rank. Where nothing was validated for it, `faults` are none.
pub(super) fn change_next(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    faults: Faults,
) -> Result<(u8, ReadyView)> {
    let item = format!("change:{}", folder.id());
    let id = folder.id();
    let progress = folder.task_progress();
    let lifecycle = match standing(ws, ctx, folder)? {
        Ok(state) => state.map_or(Lifecycle::Draft, |state| state.lifecycle),
        // A state that cannot be read is an error of its own; its tasks are there all the same.
        Err(_) => Lifecycle::Active,
    };
    let is_building = lifecycle == Lifecycle::Active;
    let is_untouched = lifecycle == Lifecycle::Draft && progress.completed == 0;
    let call = |action: Action| ctx.call(&action, &format!("{{\"change_id\": \"{id}\"}}"));
    let work = |action: Action, more: &str| ctx.call(&action, &format!("{{\"spec_id\": \"{item}\"{more}}}"));
    let tick = |place: usize, task: &str| {
        work(Action::CompleteStep { item: item.clone() }, &format!(", \"step\": {}", step_name(place, task)))
    };
    let open_task = folder.next_task();
    let (rank, next, why, call) = match &open_task {
        _ if faults.errors > 0 => {
            let why = match faults.errors {
                1 => "it has 1 error".to_owned(),
                errors => format!("it has {errors} errors"),
            };
            (
                1,
                format!("correct it: hewto change validate {id}"),
                why,
                call(Action::ValidateChange { change: id.to_owned() }),
            )
        }
        Some((place, task)) if is_untouched && change::is_quick(folder) => (
            1,
            format!("do `{task}`, then hewto plan done {item} {}", place + 1),
            "it is proposed; with one task it needs no plan and no build".to_owned(),
            tick(*place, task),
        ),
        Some(_) if is_untouched => (
            AWAITING,
            format!("look at it, then hewto build start {item} --approve"),
            match progress.total {
                1 => "it is proposed and nobody has begun it: 1 task is open".to_owned(),
                total => format!("it is proposed and nobody has begun it: {total} tasks are open"),
            },
            work(Action::StartBuild { item: item.clone() }, ", \"plan_approved\": true"),
        ),
        Some((place, task)) => (
            1,
            format!("continue with task `{task}`"),
            format!("{} of {} tasks are done", progress.completed, progress.total),
            tick(*place, task),
        ),
        None if is_building => (
            0,
            format!("finish it: hewto build done {item} --summary \"…\""),
            "all its tasks are done".to_owned(),
            work(Action::CompleteBuild { item: item.clone() }, ", \"summary\": …"),
        ),
        None if progress.total > 0 && faults.refusals > 0 => {
            let why = "all its tasks are done, but archive would refuse it".to_owned();
            (
                0,
                format!("correct it: hewto change validate {id}"),
                why,
                call(Action::ValidateChange { change: id.to_owned() }),
            )
        }
        None if progress.total > 0 => (
            0,
            format!("archive it: hewto change archive {id}"),
            "all its tasks are done".to_owned(),
            call(Action::ArchiveChange { change: id.to_owned() }),
        ),
        None => (
            3,
            format!("plan it: hewto plan new {item}"),
            "it has no tasks yet".to_owned(),
            work(Action::CreatePlan { item: item.clone() }, ", …"),
        ),
    };
    let waits_for_person = rank == AWAITING;
    let view = ReadyView { item, title: folder.title(), next, why, call, waits_for_person };
    Ok((rank, view))
}

/// A step as a call names it: by its title, or by its place where that would be long.
fn step_name(place: usize, title: &str) -> String {
    if title.chars().count() > MOST_OF_A_TITLE { quoted(&(place + 1).to_string()) } else { quoted(title) }
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
