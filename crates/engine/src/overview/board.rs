//! The board: where every piece of work stands, read off the snapshot and the folders of changes. Nothing is validated
//! for it, so that it is there at once however large the workspace is.

use std::collections::HashMap;

use hewto_core::diagnostic::Severity;
use hewto_core::id::SpecId;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::plan::{PlanStep, StepStatus};
use hewto_store::{Context, Snapshot, SpecEntry};

use super::next::{change_next, spec_next};
use super::{Faults, build_of, counts};
use crate::change::{ChangeFolder, among, standing};
use crate::claim;
use crate::error::Result;
use crate::gate;
use crate::plan::ItemPlan;
use crate::review;
use crate::spec::{diagnostics, open_hard_dependencies, work_state};
use crate::view::{
    BlockedView, BoardCard, BoardColumn, BoardView, BuildingView, ClaimView, DiagnosticView, OverlapView,
    ReadyView, TaskProgress, WaitingView, WaitsFor,
};
use crate::workspace::Workspace;

/// How many cards of a column are shown unless somebody asks for the rest.
pub const CARDS_OF_A_COLUMN: usize = 50;
/// How many documents that cannot be read are named.
const MOST_UNREADABLE: usize = 20;

/// A column of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    NeedsYou,
    Ready,
    Building,
    Blocked,
    Done,
}

impl Column {
    pub const ALL: [Self; 5] = [Self::NeedsYou, Self::Ready, Self::Building, Self::Blocked, Self::Done];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Ready => "ready",
            Self::Building => "building",
            Self::Blocked => "blocked",
            Self::Done => "done",
        }
    }

    /// The column of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.as_str() == name)
    }
}

/// Which part of the board is wanted: the beginning of every column, or more of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BoardQuery {
    pub column: Option<Column>,
    pub from: usize,
}

/// The board as it is now.
pub fn board(ws: &Workspace, ctx: &Context, query: BoardQuery) -> Result<BoardView> {
    let ws = &ws.foreseeing(|ws| gate::Policy::at_the_door(ws, ctx));
    let snapshot = ws.store().snapshot(ctx)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let claims = claim::who(ws, ctx).map(|who| who.claims).unwrap_or_default();
    let reviews = review::waiting(ws, ctx, &snapshot, &folders)?;
    let reviews: HashMap<&str, &WaitingView> =
        reviews.iter().map(|waiting| (waiting.item.as_str(), waiting)).collect();
    let mut cards = Cards { reviews, claims: &claims, columns: HashMap::new() };
    let mut unreadable: Vec<DiagnosticView> = Vec::new();
    let (mut ready, mut blocked) = (Vec::new(), Vec::new());
    for entry in &snapshot.specs {
        if let Some(state) = work_state(ws, ctx, entry) {
            let building = build_of(entry.id.to_string(), entry.title(), &state);
            if let Some(build) = building {
                cards.put(Column::Building, building_card(ws, ctx, entry, build));
            } else if matches!(state.lifecycle, Lifecycle::Done | Lifecycle::Archived) {
                let why = format!("{} {}", state.lifecycle, state.updated_at);
                let title = entry.title().to_owned();
                cards.put(Column::Done, card(entry.id.to_string(), title, why.trim_end().to_owned()));
            } else {
                spec_next(ws, ctx, &snapshot, entry, &state, &mut ready, &mut blocked)?;
            }
        }
        if unreadable.len() < MOST_UNREADABLE {
            unreadable
                .extend(diagnostics(entry).into_iter().filter(|finding| finding.severity == Severity::Error));
        }
    }
    unreadable.truncate(MOST_UNREADABLE);
    for folder in &folders {
        ctx.check()?;
        let state = standing(ws, ctx, folder)?;
        let item = format!("change:{}", folder.id());
        let progress = progress_of(folder);
        let build = match &state {
            Ok(Some(state)) => build_of(item.clone(), &folder.title(), state),
            _ => None,
        };
        if build.is_some() && progress.completed < progress.total {
            let step = folder.next_task().map(|(_, task)| format!("step “{task}”"));
            let why = step.unwrap_or_else(|| "it is being built".to_owned());
            let card = BoardCard { progress: Some(progress), ..card(item, folder.title(), why) };
            cards.put(Column::Building, card);
        } else {
            let (rank, mut next) = change_next(ws, ctx, folder, Faults { errors: 0, refusals: 0 })?;
            // Whether a person has to agree first, its review says.
            next.waits_for_person = false;
            ready.push((rank, next));
        }
        let room = MOST_UNREADABLE.saturating_sub(unreadable.len());
        unreadable.extend(unreadable_of(folder).take(room));
    }
    ready.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.item.cmp(&y.item)));
    let progress: HashMap<String, TaskProgress> =
        folders.iter().map(|folder| (format!("change:{}", folder.id()), progress_of(folder))).collect();
    for (_, next) in ready {
        let progress = progress.get(&next.item).copied().filter(|progress| progress.total > 0);
        cards.put_ready(next, progress);
    }
    for BlockedView { item, title, by } in blocked {
        // What waits for no spec has somebody's reason in its place.
        let entry = SpecId::parse(&item).ok().and_then(|id| snapshot.get(&id));
        let is_reason = entry.is_some_and(|entry| open_hard_dependencies(&snapshot, entry).next().is_none());
        let why = if is_reason { by.join(", ") } else { format!("waits for {}", by.join(", ")) };
        let names = if is_reason { Vec::new() } else { by };
        let waits_for: Option<Vec<WaitsFor>> = names.iter().map(|name| waited_for(&snapshot, name)).collect();
        let waits_for = waits_for.unwrap_or_default();
        cards.put(Column::Blocked, BoardCard { waits_for, ..card(item, title, why) });
    }
    for name in archived_names(ws, ctx)? {
        cards.put(Column::Done, archived_card(&name));
    }
    let mut columns = cards.columns;
    let mut column = |which: Column| {
        let all = columns.remove(&which).unwrap_or_default();
        let (from, most) = match query.column {
            Some(wanted) if wanted == which => (query.from, CARDS_OF_A_COLUMN * 4),
            _ => (0, CARDS_OF_A_COLUMN),
        };
        BoardColumn { total: all.len(), cards: all.into_iter().skip(from).take(most).collect() }
    };
    Ok(BoardView {
        root: ws.root().display().to_string(),
        layout: ws.layout_names(),
        specs: counts(ws, ctx, &snapshot),
        needs_you: column(Column::NeedsYou),
        ready: column(Column::Ready),
        building: column(Column::Building),
        blocked: column(Column::Blocked),
        done: column(Column::Done),
        overlaps: among(&folders).into_iter().map(OverlapView::from).collect(),
        claims,
        clarification: None,
        unreadable,
        health: None,
        notice: gate::is_unset(ws, ctx).then(|| gate::UNSET.to_owned()),
    })
}

/// A spec that is being built: how far it is, and its next step.
fn building_card(ws: &Workspace, ctx: &Context, entry: &SpecEntry, build: BuildingView) -> BoardCard {
    let item = hewto_core::id::WorkItem::Spec(entry.id.clone());
    let plan = ItemPlan::find(ws, ctx, &item).ok().flatten().map(|plan| plan.plan);
    let progress = plan.as_ref().map(|plan| {
        let done = plan.progress();
        TaskProgress { completed: done.completed, total: done.total }
    });
    let is_open = |step: &&PlanStep| !matches!(step.status, StepStatus::Completed | StepStatus::Skipped);
    let open = plan.as_ref().and_then(|plan| plan.steps.iter().find(is_open)).map(|step| step.title.clone());
    let step = build.current_step.or(open).map(|step| format!("step “{step}”"));
    let why = step.unwrap_or_else(|| format!("{} % done", build.percentage));
    BoardCard { progress, ..card(build.item, build.title, why) }
}

/// An archived change; the name of its folder begins with the day.
fn archived_card(name: &str) -> BoardCard {
    let day = name.get(..10).filter(|day| day.parse::<jiff::civil::Date>().is_ok());
    let title = hewto_core::change::in_words(day.and_then(|_| name.get(11..)).unwrap_or(name));
    let why = day.map_or_else(|| "archived".to_owned(), |day| format!("archived {day}"));
    card(format!("change:{name}"), title, why)
}

fn progress_of(folder: &ChangeFolder) -> TaskProgress {
    let done = folder.task_progress();
    TaskProgress { completed: done.completed, total: done.total }
}

fn unreadable_of(folder: &ChangeFolder) -> impl Iterator<Item = DiagnosticView> {
    folder.unreadable.iter().map(|one| DiagnosticView {
        code: "unreadable".to_owned(),
        severity: Severity::Error,
        file: one.file.clone(),
        line: None,
        message: one.message.clone(),
        hint: one.hint.clone(),
    })
}

/// The folders of archived changes, latest first.
fn archived_names(ws: &Workspace, ctx: &Context) -> Result<Vec<String>> {
    let mut names = ws.store().archived(ctx)?;
    // Their names begin with the day.
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// What comes first, by its title; nothing where there is no such spec.
fn waited_for(snapshot: &Snapshot, name: &str) -> Option<WaitsFor> {
    let entry = snapshot.get(&SpecId::parse(name).ok()?)?;
    Some(WaitsFor { item: entry.id.to_string(), title: entry.title().to_owned() })
}

fn card(item: String, title: String, why: String) -> BoardCard {
    BoardCard { item, title, why, ..BoardCard::default() }
}

struct Cards<'a> {
    reviews: HashMap<&'a str, &'a WaitingView>,
    claims: &'a [ClaimView],
    columns: HashMap<Column, Vec<BoardCard>>,
}

impl Cards<'_> {
    fn put(&mut self, column: Column, mut card: BoardCard) {
        if let Some(review) = self.reviews.get(card.item.as_str()) {
            card.standing = Some(review.standing.clone());
            card.version = Some(review.version);
            card.comments = review.comments.len();
        }
        self.columns.entry(column).or_default().push(card);
    }

    /// What comes next waits for a person, is at work already, or is free.
    fn put_ready(&mut self, next: ReadyView, progress: Option<TaskProgress>) {
        let standing = self.reviews.get(next.item.as_str()).map(|review| review.standing.as_str());
        let claimed = self.claims.iter().find(|claim| claim.spec_id == next.item);
        let ReadyView { item, title, next, why, waits_for_person, .. } = next;
        let (column, why) = match standing {
            Some("pending") => (Column::NeedsYou, "its plan waits for your verdict".to_owned()),
            Some("stale") => (Column::NeedsYou, "it has changed since it was approved".to_owned()),
            Some("changes_requested") => (Column::Ready, "changes were asked for".to_owned()),
            Some("rejected") => (Column::Blocked, "it was rejected".to_owned()),
            _ if waits_for_person => (Column::NeedsYou, why),
            _ if claimed.is_some() => (Column::Building, why),
            _ => (Column::Ready, why),
        };
        // What waits for a verdict has its next step on its page.
        let next = Some(next).filter(|_| column != Column::NeedsYou || standing.is_none());
        self.put(column, BoardCard { next, progress, ..card(item, title, why) });
    }
}
