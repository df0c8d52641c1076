//! Lists of specs: pages for agents, the whole index, and ids for completion.

use hewto_core::lifecycle::{Lifecycle, Phase};
use hewto_core::spec::Category;
use hewto_store::{Context, SpecEntry, StateRead};

use crate::error::Result;
use crate::page::{PageRequest, paginate};
use crate::text::completions;
use crate::view::{DiagnosticView, SpecIndexEntry, SpecIndexView, SpecListEntry, SpecListView};
use crate::workspace::Workspace;

/// Which specs are wanted; both conditions have to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SpecFilter {
    pub state: Option<Lifecycle>,
    pub category: Option<Category>,
}

/// `spec_list`: specs sorted by id.
pub fn list(ws: &Workspace, ctx: &Context, filter: &SpecFilter, page: &PageRequest) -> Result<SpecListView> {
    let snapshot = ws.store().snapshot(ctx)?;
    let wanted: Vec<_> = snapshot.specs.iter().filter(|entry| filter.accepts(entry)).collect();
    let list = ("spec_list", ws.root(), filter);
    let (specs, page) = paginate(&wanted, page, &list, |entry| entry.id.as_str(), |entry| list_entry(entry))?;
    Ok(SpecListView { specs, page })
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
    fn accepts(&self, entry: &SpecEntry) -> bool {
        self.state.is_none_or(|state| lifecycle(entry) == Some(state))
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

fn list_entry(entry: &SpecEntry) -> SpecListEntry {
    SpecListEntry {
        id: entry.id.to_string(),
        title: entry.title().to_owned(),
        state: lifecycle(entry).map(|state| state.to_string()),
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
