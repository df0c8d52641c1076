//! The one gate. Every door asks here: starting, finishing and archiving, by a tool, a command or a hand that moved a
//! state. What the records do not support is refused where a gate wants a person or proof is enforced, and told elsewhere.

mod approval;
mod change;
mod dependencies;
mod evidence;
mod lowering;
mod point;
mod policy;

use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::proof::settings::{Channel, Gate, GateSet};
use hewto_core::review::Permission;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, StateRead};
use serde_json::json;

pub use change::{GateChange, prepare, show, submit};
pub use lowering::{Lowering, lowering};

pub(crate) use approval::{approval_of, lost_approval};
pub(crate) use change::{is_proven, signer_of};
pub(crate) use dependencies::unmet;
pub(crate) use evidence::ask_step;
pub(crate) use point::Point;
pub(crate) use policy::{Policy, of_branches, weakest};

use crate::error::{Error, Result};
use crate::item::Item;
use crate::plan::ItemPlan;
use crate::review::{Subject, folder_of};
use crate::view::{LackView, OpenPoint};
use crate::workspace::Workspace;

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door<'a> {
    /// `build_start`, or a move to active. Asserted is what the caller says of the approval.
    Start { asserted: bool },
    /// `build_complete`, or a move to done. Steps that are dropped with a reason are not open.
    Finish { dropped: &'a [String] },
    /// A move to archived.
    Archive,
    /// `change_archive`, with the tasks that are open, whether the caller would archive them so, and the requirements that the
    /// specs would not say as the change does.
    ArchiveChange { open_tasks: usize, allow_open: bool, unwritten: &'a [String] },
}

/// What a gate lets through all the same.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub(crate) open: Vec<OpenPoint>,
    /// What is promised and no run has shown, each for itself and in one sentence.
    pub(crate) lacking: Vec<LackView>,
    pub(crate) unproven: Option<OpenPoint>,
}

/// Lets somebody through, with what is open all the same, or says everything that is in the way.
pub(crate) fn ask(
    ws: &Workspace,
    ctx: &Context,
    item: &Item,
    state: &WorkflowState,
    door: Door<'_>,
) -> Result<Passed> {
    let policy = Policy::at_the_door(ws, ctx)?;
    let name = item.id.to_string();
    let (gates, approval) = if policy.needs_a_person() {
        let subject = Subject::of(ws, ctx, &item.id, item.title.clone())?;
        let gates = policy.gates_of(&subject);
        let approval = approval(ws, ctx, &subject, &gates, door)?;
        (gates, approval)
    } else {
        let category = item.spec().and_then(|spec| spec.head.category);
        let folder = folder_of(ws, ctx, &item.id)?;
        let gates = policy.gates_at(folder.as_str(), category.map(hewto_core::spec::Category::as_str));
        let approval = not_asserted(&name, gate_of(&gates, door), door);
        (gates, approval)
    };
    let binding = gate_of(&gates, door).needs_a_person() || policy.enforces_proof();
    let mut points = Vec::new();
    match door {
        Door::Start { .. } => {
            if ItemPlan::find(ws, ctx, &item.id)?.is_none() {
                points.push(Point::no_plan(&name));
            }
            points.extend(unmet(ws, ctx, item, &policy)?);
        }
        Door::Finish { dropped } => {
            if state.phase != Phase::Build {
                points.push(Point::not_built(&name, "its build has not been started"));
            }
            points.extend(open_steps(ws, ctx, item, dropped)?);
        }
        Door::Archive => {
            if state.lifecycle == Lifecycle::Done && state.completed_at.is_none() {
                points.push(Point::not_built(&name, "it was moved to done without a build"));
            }
        }
        Door::ArchiveChange { open_tasks, unwritten, .. } => {
            let is_asked = !gate_of(&gates, door).needs_a_person();
            // An approval is for what the change says, whatever it is merged with.
            if !is_asked && !unwritten.is_empty() {
                points.push(Point::unwritten(&name, unwritten));
            }
            if is_asked
                && open_tasks > 0
                && policy.enforces_proof()
                && !may_leave_tasks(ws, ctx, item, &gates, ANY_PERSON)?
            {
                points.push(Point::tasks_open(&name));
            }
        }
    }
    let lacks = match door {
        Door::Start { .. } => None,
        Door::Finish { .. } | Door::Archive | Door::ArchiveChange { .. } => {
            Some(evidence::of_item(ws, ctx, &item.id)?)
        }
    };
    let evidence = lacks.as_ref().and_then(evidence::refused);
    let unproven = lacks.as_ref().and_then(|lacks| evidence::told(ctx, lacks));
    let lacking = lacks.map(|(_, lacks)| lacks.lacks).unwrap_or_default();
    if ws.keeps_seed_flow() {
        // The seed's server lets work through that its plan does not show as done; approvals and proof are never skipped.
        let mut open = Point::refuse(ctx, approval.into_iter().chain(evidence).collect(), &name, binding)?;
        open.extend(points.into_iter().map(|point| point.told(ctx)));
        return Ok(Passed { open, lacking, unproven });
    }
    let open =
        Point::refuse(ctx, approval.into_iter().chain(points).chain(evidence).collect(), &name, binding)?;
    Ok(Passed { open, lacking, unproven })
}

/// Where no gate asks a person, whoever is at a terminal may allow open tasks.
const ANY_PERSON: Gate = Gate::Weakest(Channel::Terminal);

/// Whether those whom a gate asks have said that the item may be archived though tasks are open.
fn may_leave_tasks(ws: &Workspace, ctx: &Context, item: &Item, gates: &GateSet, gate: Gate) -> Result<bool> {
    let subject = Subject::of(ws, ctx, &item.id, item.title.clone())?;
    let approval = approval_of(ws, ctx, &subject, gates, gate)?;
    Ok(approval.is_ok_and(|allows| allows.contains(&Permission::OpenTasks)))
}

/// Whether open tasks of a change wait for a person to allow them, whatever the caller says.
pub(crate) fn open_tasks_need_a_person(ws: &Workspace, ctx: &Context, item: &Item) -> Result<bool> {
    let policy = Policy::at_the_door(ws, ctx)?;
    if !policy.needs_a_person() && !policy.enforces_proof() {
        return Ok(false);
    }
    let gates = policy.gates_of(&Subject::of(ws, ctx, &item.id, item.title.clone())?);
    let gate = gates.archive().stricter(gates.plan());
    let gate = if gate.needs_a_person() {
        gate
    } else if policy.enforces_proof() && !ws.keeps_seed_flow() {
        ANY_PERSON
    } else {
        return Ok(false);
    };
    Ok(!may_leave_tasks(ws, ctx, item, &gates, gate)?)
}

/// Lets a decision be written, or says what it waits for.
pub(crate) fn ask_decision(
    ws: &Workspace,
    ctx: &Context,
    policy: &Policy,
    subject: &Subject,
) -> Result<Option<Error>> {
    let gates = policy.gates_of(subject);
    let missing = approval_of(ws, ctx, subject, &gates, gates.decision())?.err();
    Ok(missing.and_then(|point| Point::refuse(ctx, vec![point], &subject.name(), true).err()))
}

/// Whether an item's plan is approved by an argument, and by nothing more.
pub(crate) fn wants_the_argument(ws: &Workspace, ctx: &Context, item: &Item) -> Result<bool> {
    let policy = Policy::at_the_door(ws, ctx)?;
    let category = item.spec().and_then(|spec| spec.head.category);
    let folder = folder_of(ws, ctx, &item.id)?;
    let gate = policy.gates_at(folder.as_str(), category.map(hewto_core::spec::Category::as_str)).plan();
    Ok(gate == Gate::default())
}

/// How plans are approved here, said once as long as nobody has said how they are to be.
pub(crate) fn notice(ws: &Workspace, ctx: &Context) -> Result<Option<String>> {
    if ws.keeps_seed_flow() || !Policy::at_the_door(ws, ctx)?.is_unset() {
        return Ok(None);
    }
    let began = |state: &StateRead| matches!(state, StateRead::Valid(state) if state.started_at.is_some());
    let is_first = !ws.store().snapshot(ctx)?.specs.iter().any(|entry| began(&entry.state));
    Ok(is_first.then(|| UNSET.to_owned()))
}

/// Whether nobody has said how plans are approved.
pub(crate) fn is_unset(ws: &Workspace, ctx: &Context) -> bool {
    Policy::at_the_door(ws, ctx).is_ok_and(|policy| policy.is_unset())
}

/// What `status`, `doctor` and the first build say where no gate is set.
pub(crate) const UNSET: &str = "plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word";

/// The gate that a door has. Nothing is archived that a plan's gate has never seen.
fn gate_of(gates: &GateSet, door: Door<'_>) -> Gate {
    match door {
        Door::Start { .. } | Door::Finish { .. } => gates.plan(),
        Door::Archive | Door::ArchiveChange { .. } => gates.archive().stricter(gates.plan()),
    }
}

fn approval(
    ws: &Workspace,
    ctx: &Context,
    subject: &Subject,
    gates: &GateSet,
    door: Door<'_>,
) -> Result<Option<Point>> {
    let gate = gate_of(gates, door);
    if !gate.needs_a_person() {
        return Ok(not_asserted(&subject.name(), gate, door));
    }
    let approval = approval_of(ws, ctx, subject, gates, gate)?;
    Ok(match (approval, door) {
        (Err(point), _) => Some(point),
        (Ok(allows), Door::ArchiveChange { open_tasks: 1.., .. })
            if !allows.contains(&Permission::OpenTasks) =>
        {
            Some(Point::tasks_open(&subject.name()))
        }
        (Ok(_), _) => None,
    })
}

/// Where an argument would do, a move has none.
fn not_asserted(item: &str, gate: Gate, door: Door<'_>) -> Option<Point> {
    let unsaid = gate != Gate::None && matches!(door, Door::Start { asserted: false });
    unsaid.then(|| Point::not_asserted(item))
}

fn open_steps(ws: &Workspace, ctx: &Context, item: &Item, dropped: &[String]) -> Result<Option<Point>> {
    let Some(plan) = ItemPlan::find(ws, ctx, &item.id)? else { return Ok(None) };
    let open: Vec<String> = plan.open_titles().into_iter().filter(|title| !dropped.contains(title)).collect();
    Ok((!open.is_empty()).then(|| Point::steps_open(&item.id.to_string(), &open)))
}

/// An error that comes before the gate, with the steps that the gate would ask for.
pub(crate) fn with_open_steps(ws: &Workspace, ctx: &Context, item: &Item, error: Error) -> Result<Error> {
    let policy = Policy::at_the_door(ws, ctx)?;
    if ws.keeps_seed_flow() || !(policy.needs_a_person() || policy.enforces_proof()) {
        return Ok(error);
    }
    Ok(match open_steps(ws, ctx, item, &[])? {
        Some(point) => error.detail("open", json!([point.told(ctx)])),
        None => error,
    })
}
