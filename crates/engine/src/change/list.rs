//! `list_changes`: all open changes.

use hewto_core::id::WorkItem;
use hewto_store::{Context, OddFolder, Oddity};

use super::ChangeFolder;
use crate::error::Result;
use crate::item::Item;
use crate::page::{PageRequest, paginate};
use crate::view::{ChangeCard, ChangeCards, TaskProgress};
use crate::workspace::Workspace;

/// Whether archived changes are wanted too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Archived {
    Included,
    #[default]
    LeftOut,
}

/// Open changes sorted by id, with how far their tasks are; archived ones behind them where they are wanted.
pub fn list(ws: &Workspace, ctx: &Context, archived: Archived, page: &PageRequest) -> Result<ChangeCards> {
    let found = ws.store().changes(ctx)?;
    let mut changes: Vec<(String, hewto_store::ChangeEntry, Archived)> =
        found.changes.into_iter().map(|entry| (format!("0{}", entry.id), entry, Archived::LeftOut)).collect();
    if archived == Archived::Included {
        let old = ws.store().archived_changes(ctx)?.into_iter();
        changes.extend(old.map(|entry| (format!("1{}", entry.id), entry, Archived::Included)));
    }
    let list = ("list_changes", ws.root(), archived);
    let show = |(_, entry, is_archived): &(String, hewto_store::ChangeEntry, Archived)| {
        // A document that cannot be read keeps neither its change nor the others from being listed.
        let folder = ChangeFolder::read(ws, ctx, entry.clone()).ok();
        let progress = folder.as_ref().map(ChangeFolder::task_progress);
        ChangeCard {
            id: entry.id.to_string(),
            archived: *is_archived == Archived::Included,
            title: folder
                .as_ref()
                .map_or_else(|| hewto_core::change::in_words(entry.id.as_str()), ChangeFolder::title),
            task_progress: TaskProgress {
                completed: progress.map_or(0, |progress| progress.completed),
                total: progress.map_or(0, |progress| progress.total),
            },
            capabilities: folder
                .iter()
                .flat_map(|folder| folder.deltas.iter().map(|delta| delta.capability.to_string()))
                .collect(),
        }
    };
    let (changes, page) = paginate(&changes, page, &list, |(place, ..)| place.as_str(), show)?;
    let not_listed = found.odd.iter().map(|odd| format!("{}: {}", odd.path, oddity(odd).0)).collect();
    Ok(ChangeCards { changes, not_listed, page })
}

/// Why something in the place of a change is none, and what to do about it.
pub(crate) fn oddity(odd: &OddFolder) -> (String, &'static str) {
    match odd.oddity {
        Oddity::Link => ("a link, and links are not followed".to_owned(), "put the real folder there"),
        Oddity::Name(error) => (format!("the name cannot be an id: {error}"), "rename the folder"),
    }
}

/// Ids of open changes for completion: those that begin with the typed text, then those that contain it.
pub fn ids(ws: &Workspace, ctx: &Context, typed: &str) -> Result<Vec<String>> {
    let changes = ws.store().changes(ctx)?.changes;
    Ok(crate::text::completions(typed, changes.iter().map(|entry| entry.id.as_str())))
}

/// Whether a name, with or without `change:`, means a change: no spec has it.
pub fn is_meant(ws: &Workspace, ctx: &Context, name: &str) -> Result<bool> {
    let item = Item::load(ws, ctx, name.trim())?;
    Ok(matches!(item.id, WorkItem::Change(_)))
}
