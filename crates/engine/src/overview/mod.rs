//! `hewto status`: one screen on where things stand and what is next.

mod board;
mod brief;
mod next;

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_core::diagnostic::Severity;
use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::rules::changes::{ARCHIVE_REFUSED, BUILD_OPEN};
use hewto_core::state::WorkflowState;
use hewto_store::{Context, DocFolder, Snapshot, StateRead};

use self::next::{AWAITING, await_person, change_next, go_ahead, is_gated, spec_next};
use crate::adopt;
use crate::change::{ChangeFolder, among, standing};
use crate::check::{self, Strictness};
use crate::claim;
use crate::error::Result;
use crate::gate;
use crate::review;
use crate::spec::{ItemKind, work_state};
use crate::view::{
    BuildingView, DiagnosticView, OpenChangeView, OverlapView, OverviewView, ReadyView, ReportView,
    SpecCounts, TaskProgress,
};
use crate::workspace::Workspace;

pub use board::{BoardQuery, CARDS_OF_A_COLUMN, Column, board};
pub use brief::{MOST_CHARS, brief};

/// Looks at everything once.
pub fn status(ws: &Workspace, ctx: &Context) -> Result<OverviewView> {
    // Every item asks which gates hold; git is asked once.
    let ws = &ws.foreseeing(|ws| gate::Policy::at_the_door(ws, ctx));
    let snapshot = ws.store().snapshot(ctx)?;
    let report = check::validate(ws, ctx, Strictness::Normal)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let mut ready: Vec<(u8, ReadyView)> = Vec::new();
    let mut blocked = Vec::new();
    let mut building = Vec::new();
    for entry in &snapshot.specs {
        if let Some(state) = work_state(ws, ctx, entry) {
            building.extend(build_of(entry.id.to_string(), entry.title(), &state));
            spec_next(ws, ctx, &snapshot, entry, &state, &mut ready, &mut blocked)?;
        }
    }
    let reviews = review::waiting(ws, ctx, &snapshot, &folders)?;
    let waits = |item: &str| reviews.iter().any(|review| review.waits && review.item == item);
    for (rank, one) in ready.iter_mut().filter(|(_, one)| one.waits_for_person) {
        if waits(&one.item) {
            await_person(ctx, one);
        } else if is_gated(ws, ctx, &one.item) {
            *rank = go_ahead(ctx, one);
        }
    }
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
        } else if next.waits_for_person && is_gated(ws, ctx, &next.item) {
            rank = go_ahead(ctx, &mut next);
        }
        ready.push((rank, next));
    }
    ready.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.item.cmp(&y.item)));
    Ok(OverviewView {
        root: ws.root().display().to_string(),
        layout: ws.layout_names(),
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
        for key in entry.files.iter().filter_map(|file| entry.file(file)) {
            if let Some(stamp) = ws.store().stamp(ctx, &key)? {
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
    fn below(report: &ReportView, folder: &DocFolder) -> Self {
        let is_below = |issue: &&DiagnosticView| {
            let rest = issue.file.strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_error =
            |issue: &&DiagnosticView| issue.severity == Severity::Error && issue.code != BUILD_OPEN.code;
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
