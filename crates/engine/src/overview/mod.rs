//! `hewto status`: one screen on where things stand and what is next.

mod board;
mod brief;

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_core::diagnostic::Severity;
use hewto_core::id::WorkItem;
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::rules::changes::{ARCHIVE_REFUSED, BUILD_OPEN};
use hewto_core::spec::DependencyKind;
use hewto_core::state::WorkflowState;
use hewto_store::{Context, RelPath, Snapshot, SpecEntry, StateRead};

use crate::adopt;
use crate::change::{ChangeFolder, among, standing};
use crate::check::{self, Strictness};
use crate::claim;
use crate::error::{Action, Result};
use crate::gate;
use crate::plan::ItemPlan;
use crate::review;
use crate::spec::{ItemKind, lifecycle, target_id};
use crate::view::{
    BlockedView, BuildingView, DiagnosticView, OpenChangeView, OverlapView, OverviewView, ReadyView,
    ReportView, SpecCounts, TaskProgress,
};
use crate::workspace::Workspace;

pub use board::{BoardQuery, CARDS_OF_A_COLUMN, Column, board};
pub use brief::{MOST_CHARS, brief};

/// Looks at everything once.
pub fn status(ws: &Workspace, ctx: &Context) -> Result<OverviewView> {
    let snapshot = ws.store().snapshot(ctx)?;
    let report = check::validate(ws, ctx, Strictness::Normal)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let mut ready: Vec<(u8, ReadyView)> = Vec::new();
    let mut blocked = Vec::new();
    let mut building = Vec::new();
    for entry in &snapshot.specs {
        if let StateRead::Valid(state) = &entry.state {
            building.extend(build_of(entry.id.to_string(), entry.title(), state));
            spec_next(ws, ctx, &snapshot, entry, state, &mut ready, &mut blocked)?;
        }
    }
    let reviews = review::waiting(ws, ctx, &snapshot, &folders)?;
    let waits = |item: &str| reviews.iter().any(|review| review.waits && review.item == item);
    let planned = ready.iter_mut().filter(|(_, one)| one.waits_for_person && waits(&one.item));
    planned.for_each(|(_, one)| await_person(ctx, one));
    let mut changes = Vec::new();
    for folder in &folders {
        let faults = Faults::below(&report, &folder.entry.folder);
        let progress = folder.task_progress();
        changes.push(OpenChangeView {
            id: folder.id().to_owned(),
            title: folder.title(),
            task_progress: TaskProgress { completed: progress.completed, total: progress.total },
            capabilities: folder.deltas.iter().map(|delta| delta.capability.to_string()).collect(),
            errors: faults.errors,
        });
        if let Ok(Some(state)) = standing(ws, ctx, folder)? {
            building.extend(build_of(format!("change:{}", folder.id()), &folder.title(), &state));
        }
        let (mut rank, mut next) = change_next(ws, ctx, folder, faults)?;
        if faults.errors == 0 && waits(&next.item) {
            rank = AWAITING;
            await_person(ctx, &mut next);
        }
        ready.push((rank, next));
    }
    ready.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.item.cmp(&y.item)));
    Ok(OverviewView {
        root: ws.root().display().to_string(),
        layout: ws.layout().kinds().iter().map(|kind| kind.as_str().to_owned()).collect(),
        specs: counts(ws, ctx, &snapshot),
        health: report.summary,
        changes,
        ready: ready.into_iter().map(|(_, ready)| ready).collect(),
        blocked,
        overlaps: among(&folders).into_iter().map(OverlapView::from).collect(),
        building,
        reviews,
        // Claims that cannot be read are told by whoever needs them.
        claims: claim::who(ws, ctx).map(|who| who.claims).unwrap_or_default(),
        backlog: adopt::observed(ws, ctx, &folders),
        notice: gate::is_unset(ws, ctx).then(|| gate::UNSET.to_owned()),
    })
}

/// The build of an item, while it is under way.
fn build_of(item: String, title: &str, state: &WorkflowState) -> Option<BuildingView> {
    (state.lifecycle == Lifecycle::Active && state.phase == Phase::Build).then(|| BuildingView {
        item,
        title: title.to_owned(),
        percentage: state.build_progress.percentage,
        current_step: state.build_progress.current_step.clone(),
    })
}

/// A number that differs when `status` may, from what the store knows of changes without reading anything.
pub fn mark(ws: &Workspace, ctx: &Context) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    ws.store().snapshot(ctx)?.generation.hash(&mut hasher);
    for entry in ws.store().changes(ctx)?.changes {
        entry.folder.as_str().hash(&mut hasher);
        for path in entry.files.iter().filter_map(|file| entry.file(file)) {
            if let Some(stamp) = ws.store().stamp(ctx, &path)? {
                (stamp.size, stamp.mtime_ns, stamp.inode).hash(&mut hasher);
            }
        }
    }
    Ok(hasher.finish())
}

/// What a report has about the folder of a change and what stands in it.
#[derive(Debug, Clone, Copy)]
struct Faults {
    /// A build under way is none to correct.
    errors: usize,
    /// What archive would refuse, which is an error in some layouts only.
    refusals: usize,
}

impl Faults {
    fn below(report: &ReportView, folder: &RelPath) -> Self {
        let is_below = |issue: &&DiagnosticView| {
            let rest = issue.file.strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_error = |issue: &&DiagnosticView| {
            issue.severity == Severity::Error.as_str() && issue.code != BUILD_OPEN.code
        };
        let issues = || report.issues.iter().filter(is_below);
        Self {
            errors: issues().filter(is_error).count(),
            refusals: issues().filter(|issue| issue.code == ARCHIVE_REFUSED.code).count(),
        }
    }
}

fn counts(ws: &Workspace, ctx: &Context, snapshot: &Snapshot) -> SpecCounts {
    let mut counts = SpecCounts { total: snapshot.specs.len(), ..SpecCounts::default() };
    for entry in &snapshot.specs {
        let place = match &entry.state {
            StateRead::Absent => match ItemKind::of(ws, ctx, entry) {
                ItemKind::Living => &mut counts.living,
                ItemKind::Work | ItemKind::Change => &mut counts.draft,
            },
            StateRead::Broken(_) => &mut counts.unreadable,
            StateRead::Valid(state) => match state.lifecycle {
                Lifecycle::Draft => &mut counts.draft,
                Lifecycle::Active => &mut counts.active,
                Lifecycle::Blocked => &mut counts.blocked,
                Lifecycle::Done => &mut counts.done,
                Lifecycle::Cancelled => &mut counts.cancelled,
                Lifecycle::Archived => &mut counts.archived,
            },
        };
        *place += 1;
    }
    counts
}

/// The rank of what waits for a person.
const AWAITING: u8 = 2;

/// Where a gate stands nothing comes before a person's word.
fn await_person(ctx: &Context, one: &mut ReadyView) {
    let item = one.item.clone();
    one.next = format!("look at it and decide: hewto approve {item}");
    "a person has to agree to it first".clone_into(&mut one.why);
    one.call =
        ctx.call(&Action::AwaitApproval { item: item.clone() }, &format!("{{\"spec_id\": \"{item}\"}}"));
    one.waits_for_person = true;
}

/// What a spec needs next, with its rank: what is furthest along comes first.
fn spec_next(
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
    let waits_for = open_dependencies(snapshot, entry);
    if matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Blocked) && !waits_for.is_empty() {
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
            let step = |plan: &ItemPlan| plan.plan.current_step().map(|step| step.title.clone());
            match ItemPlan::find(ws, ctx, &WorkItem::Spec(entry.id.clone())) {
                Ok(plan) => match plan.as_ref().and_then(step) {
                    Some(step) => (
                        0,
                        format!("continue with step `{step}`"),
                        "it is being built",
                        call(
                            Action::CompleteStep { item: item.clone() },
                            &format!(", \"step\": {}", quoted(&step)),
                        ),
                    ),
                    None => (
                        0,
                        "finish it: hewto build done".to_owned(),
                        "every step of its plan is done",
                        call(Action::CompleteBuild { item: item.clone() }, ", \"summary\": …"),
                    ),
                },
                Err(error) if error.details.contains_key("file") => {
                    let next = "mend its plan: hewto validate".to_owned();
                    (0, next, "its plan cannot be read", call(Action::ShowSpec { item: item.clone() }, ""))
                }
                Err(error) => return Err(error),
            }
        }
        (Lifecycle::Draft | Lifecycle::Active, _, true) => (
            AWAITING,
            "review the plan, then hewto build start --approve".to_owned(),
            "it has a plan and nothing blocks it",
            call(Action::StartBuild { item: item.clone() }, ", \"plan_approved\": true"),
        ),
        (Lifecycle::Draft | Lifecycle::Active, _, false) => {
            let next = "make a plan: hewto plan new".to_owned();
            (
                3,
                next,
                "it has no plan yet and nothing blocks it",
                call(Action::CreatePlan { item: item.clone() }, ", …"),
            )
        }
        (Lifecycle::Done, ..) => {
            let next = "archive it: hewto spec move … archived".to_owned();
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

/// The hard dependencies that are not done.
fn open_dependencies(snapshot: &Snapshot, entry: &SpecEntry) -> Vec<String> {
    let hard = entry.head.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Hard);
    hard.filter(|dependency| {
        let target = target_id(dependency).and_then(|id| snapshot.get(&id).cloned());
        !target.is_some_and(|target| lifecycle(&target).is_some_and(Lifecycle::satisfies_dependency))
    })
    .map(|dependency| dependency.target.clone())
    .collect()
}

fn change_next(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    faults: Faults,
) -> Result<(u8, ReadyView)> {
    let item = format!("change:{}", folder.id());
    let id = folder.id();
    let progress = folder.task_progress();
    let is_building = standing(ws, ctx, folder)?
        .is_ok_and(|state| state.is_some_and(|state| state.lifecycle == Lifecycle::Active));
    let call = |action: Action| ctx.call(&action, &format!("{{\"change_id\": \"{id}\"}}"));
    let work = |action: Action, more: &str| ctx.call(&action, &format!("{{\"spec_id\": \"{item}\"{more}}}"));
    let (rank, next, why, call) = match folder.next_task() {
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
        Some(task) => (
            1,
            format!("continue with task `{task}`"),
            format!("{} of {} tasks are done", progress.completed, progress.total),
            work(Action::CompleteStep { item: item.clone() }, &format!(", \"step\": {}", quoted(&task))),
        ),
        None if is_building => (
            0,
            format!("finish it: hewto build done {item}"),
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
    let view = ReadyView { item, title: folder.title(), next, why, call, waits_for_person: false };
    Ok((rank, view))
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
