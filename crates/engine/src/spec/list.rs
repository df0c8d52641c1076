//! Lists of specs: pages for agents, the whole index, and ids for completion.

use std::borrow::Cow;

use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::spec::Category;
use hewto_store::{Context, SpecEntry, StateRead};
use serde::{Deserialize, Serialize};

use crate::change::{self, ChangeFolder};
use crate::error::Result;
use crate::page::{PageRequest, paginate};
use crate::text::completions;
use crate::view::{DiagnosticView, SpecIndexEntry, SpecIndexView, SpecListEntry, SpecListView};
use crate::workspace::Workspace;

/// What an entry of a list is: a promise that holds, or work that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// A spec without a state: what is promised now. It changes through changes.
    Living,
    /// A spec with a lifecycle.
    Work,
    Change,
}

impl ItemKind {
    pub const ALL: [Self; 3] = [Self::Living, Self::Work, Self::Change];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Living => "living",
            Self::Work => "work",
            Self::Change => "change",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// A spec without a state is living when it promises something, or stands where another tool keeps promises.
    pub(crate) fn of(ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> Self {
        let is_living = matches!(entry.state, StateRead::Absent)
            && (ws.is_living_folder(entry.folder.as_str()) || ws.purposes().promises(ws, ctx, entry));
        if is_living { Self::Living } else { Self::Work }
    }
}

/// Which items are wanted; all conditions have to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SpecFilter {
    pub state: Option<Lifecycle>,
    pub category: Option<Category>,
    /// Specs of both kinds when absent.
    pub kind: Option<ItemKind>,
    /// Changes stand in the list too.
    pub changes: bool,
    /// And archived ones; whoever asks for the state `archived` wants them too.
    pub archived: bool,
}

impl SpecFilter {
    fn wants_changes(&self) -> bool {
        let of_kind = match self.kind {
            Some(kind) => kind == ItemKind::Change,
            None => self.changes || self.archived,
        };
        self.category.is_none() && of_kind
    }
}

/// `spec_list`: specs sorted by id, and changes behind them where they are wanted.
pub fn list(ws: &Workspace, ctx: &Context, filter: &SpecFilter, page: &PageRequest) -> Result<SpecListView> {
    let snapshot = ws.store().snapshot(ctx)?;
    let specs = snapshot.specs.iter().filter(|entry| filter.accepts(ws, ctx, entry));
    let changes = if filter.wants_changes() { change_rows(ws, ctx, filter)? } else { Vec::new() };
    // Of thousands a page shows a few: the others are to cost next to nothing.
    let mut wanted: Vec<(Cow<'_, str>, Row<'_>)> =
        specs.map(|entry| (Cow::Borrowed(entry.id.as_str()), Row::Spec(entry))).collect();
    if filter.wants_changes() {
        let changes =
            changes.iter().map(|entry| (Cow::from(format!("change:{}", entry.id)), Row::Change(entry)));
        wanted.extend(changes);
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
    }
    let list = ("spec_list", ws.root(), filter);
    let show = |(_, row): &(Cow<'_, str>, Row<'_>)| match *row {
        Row::Spec(entry) => list_entry(ws, ctx, entry),
        Row::Change(entry) => entry.clone(),
    };
    let (specs, page) = paginate(&wanted, page, &list, |(id, _)| &**id, show)?;
    Ok(SpecListView { specs, page })
}

/// One line of the list before it is shown.
enum Row<'s> {
    Spec(&'s SpecEntry),
    Change(&'s SpecListEntry),
}

fn change_rows(ws: &Workspace, ctx: &Context, filter: &SpecFilter) -> Result<Vec<SpecListEntry>> {
    let mut rows = Vec::new();
    for folder in ChangeFolder::load_all(ws, ctx)? {
        let state = change::standing(ws, ctx, &folder)?;
        let state = state.map(|state| state.map_or(Lifecycle::Draft, |state| state.lifecycle)).ok();
        rows.push(change_entry(&folder, folder.id(), state));
    }
    if filter.archived || filter.state == Some(Lifecycle::Archived) {
        for folder in ChangeFolder::load_archived(ws, ctx)? {
            rows.push(change_entry(&folder, folder.id(), Some(Lifecycle::Archived)));
        }
    }
    rows.retain(|row| filter.state.is_none_or(|state| row.state.as_deref() == Some(state.as_str())));
    Ok(rows)
}

fn change_entry(folder: &ChangeFolder, id: &str, state: Option<Lifecycle>) -> SpecListEntry {
    SpecListEntry {
        id: id.to_owned(),
        kind: ItemKind::Change,
        title: folder.title(),
        state: state.map(|state| state.to_string()),
        category: None,
        created_at: None,
        diagnostics: Vec::new(),
    }
}

/// The `airsspec:///specs` resource: every spec in one index.
pub fn index(ws: &Workspace, ctx: &Context) -> Result<SpecIndexView> {
    let snapshot = ws.store().snapshot(ctx)?;
    let specs: Vec<SpecIndexEntry> = snapshot.specs.iter().map(|entry| index_entry(entry)).collect();
    Ok(SpecIndexView { total: specs.len(), specs })
}

/// Ids for completion: those that begin with the typed text, then those that contain it.
pub fn ids(ws: &Workspace, ctx: &Context, typed: &str) -> Result<Vec<String>> {
    let snapshot = ws.store().snapshot(ctx)?;
    Ok(completions(typed, snapshot.specs.iter().map(|entry| entry.id.as_str())))
}

impl SpecFilter {
    fn accepts(&self, ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> bool {
        // What is promised is no draft, though its state reads as one.
        let is_draft = || ItemKind::of(ws, ctx, entry) == ItemKind::Work;
        self.kind.is_none_or(|kind| kind == ItemKind::of(ws, ctx, entry))
            && self.state.is_none_or(|state| {
                lifecycle(entry) == Some(state) && (state != Lifecycle::Draft || is_draft())
            })
            && self.category.is_none_or(|category| entry.head.category == Some(category))
    }
}

/// Where the spec stands; nothing when its state cannot be read.
pub(crate) fn lifecycle(entry: &SpecEntry) -> Option<Lifecycle> {
    match &entry.state {
        StateRead::Absent => Some(Lifecycle::Draft),
        StateRead::Valid(state) => Some(state.lifecycle),
        StateRead::Broken(_) => None,
    }
}

fn list_entry(ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> SpecListEntry {
    let kind = ItemKind::of(ws, ctx, entry);
    // What is promised is no draft. AirsSpec knows no other kind, and calls everything without a state one.
    let has_state = kind != ItemKind::Living || !ws.is_native(entry.folder.as_str());
    SpecListEntry {
        id: entry.id.to_string(),
        kind,
        title: entry.title().to_owned(),
        state: lifecycle(entry).filter(|_| has_state).map(|state| state.to_string()),
        category: entry.head.category.map(|category| category.to_string()),
        created_at: entry.head.created_at.clone(),
        diagnostics: diagnostics(entry),
    }
}

fn index_entry(entry: &SpecEntry) -> SpecIndexEntry {
    let (phase, changed_at) = match &entry.state {
        StateRead::Absent => (Some(Phase::Spec), None),
        StateRead::Valid(state) => (Some(state.phase), Some(state.updated_at.clone())),
        StateRead::Broken(_) => (None, None),
    };
    SpecIndexEntry {
        id: entry.id.to_string(),
        title: entry.title().to_owned(),
        state: lifecycle(entry).map(|state| state.to_string()),
        category: entry.head.category.map(|category| category.to_string()),
        phase: phase.map(|phase| phase.to_string()),
        created_at: entry.head.created_at.clone(),
        updated_at: super::status::later(changed_at, entry.head.updated_at.clone()),
    }
}

/// What is wrong with the files of a spec.
pub(crate) fn diagnostics(entry: &SpecEntry) -> Vec<DiagnosticView> {
    entry.findings().iter().map(DiagnosticView::from).collect()
}
