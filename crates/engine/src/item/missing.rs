//! What somebody named and is not there: what it may have been, and names that are near.

use hewto_core::id::{ChangeId, MAX_ID_BYTES, WorkItem, bare_change, bare_spec};
use hewto_core::near;
use hewto_store::{ChangeList, Context};
use serde_json::json;

use crate::change::ChangeFolder;
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::workspace::Workspace;

/// How many near names an error offers.
const NEAR: usize = 3;

/// The open change of this name, if there is one.
pub(super) fn change_named(ws: &Workspace, ctx: &Context, name: &str) -> Result<Option<ChangeId>> {
    let Ok(id) = ChangeId::parse(name) else { return Ok(None) };
    Ok(ws.store().change(ctx, &id)?.map(|entry| entry.id))
}

/// The open change that somebody means, with or without its prefix, where no spec has the name.
pub(crate) fn change_meant(ws: &Workspace, ctx: &Context, name: &str) -> Result<Option<ChangeId>> {
    change_named(ws, ctx, &bare_change(name))
}

pub(crate) fn spec_not_found(ws: &Workspace, ctx: &Context, name: &str) -> Error {
    let name = &*bare_spec(name);
    if let Ok(Some(id)) = change_meant(ws, ctx, name) {
        let change = id.to_string();
        return Error::new(Kind::Refused, Key::SpecNotFound, format!("`{id}` is a change, not a spec"))
            .detail("spec_id", name)
            .detail("change_id", id.as_str())
            .hint(Action::ShowChange { change }.to("read it"));
    }
    let specs = ws.store().snapshot(ctx);
    let ids = specs.iter().flat_map(|specs| &specs.specs).map(|entry| entry.id.as_str());
    let mut near = near::near(name, ids, NEAR);
    if let Some(error) =
        ChangeId::parse(name).ok().and_then(|id| change_archived(ws, ctx, &id, Key::SpecNotFound))
    {
        return error.detail("spec_id", name);
    }
    if near.is_empty() {
        let changes = ws.store().changes(ctx).unwrap_or_default().changes;
        let changes = near::near(name, changes.iter().map(|entry| entry.id.as_str()), NEAR);
        near.extend(changes.into_iter().map(|id| format!("change:{id}")));
    }
    Error::spec_not_found(name, &near)
}

/// What an address leads to has to be something that may have a name; else nothing has it, however long it is.
pub(crate) fn check_named(ws: &Workspace, ctx: &Context, name: &str) -> Result<()> {
    if WorkItem::parse(name).is_ok() {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_ID_BYTES).collect();
    let Some(change) = shown.strip_prefix("change:") else { return Err(spec_not_found(ws, ctx, &shown)) };
    let list = ws.store().changes(ctx).unwrap_or_default();
    Err(with_near_changes(no_change(change), change, &list))
}

fn no_change(id: &str) -> Error {
    Error::new(Kind::Refused, Key::ChangeNotFound, format!("no open change named `{id}`"))
        .detail("change_id", id)
}

fn with_near_changes(error: Error, id: &str, list: &ChangeList) -> Error {
    let near = near::near(id, list.changes.iter().map(|change| change.id.as_str()), NEAR);
    if near.is_empty() {
        error.hint(Action::ListChanges.to("see the ids"))
    } else {
        error.hint(format!("did you mean `{}`?", near.join("`, `"))).detail("near", json!(near))
    }
}

pub(crate) fn change_not_found(ws: &Workspace, ctx: &Context, id: &ChangeId) -> Error {
    let list = ws.store().changes(ctx).unwrap_or_default();
    let error = no_change(id.as_str());
    if let Some(workspace) = crate::neighbours::qualifier(id.as_str()) {
        return error.no_workspace(workspace);
    }
    if let Some(error) = change_archived(ws, ctx, id, Key::ChangeNotFound) {
        return error;
    }
    let is_meant = |path: &str| path.rsplit('/').next() == Some(id.as_str());
    if let Some(odd) = list.odd.iter().find(|odd| is_meant(&odd.path)) {
        let (why, hint) = crate::change::oddity(odd);
        return error.detail("file", odd.path.as_str()).hint(format!("`{}` is {why}: {hint}", odd.path));
    }
    with_near_changes(error, id.as_str(), &list)
}

/// What to say of a change that was open once.
fn change_archived(ws: &Workspace, ctx: &Context, id: &ChangeId, key: Key) -> Option<Error> {
    let folder = ChangeFolder::archived_as(ws, ctx, id)?;
    let message = format!("`{id}` is archived already: `{folder}/`");
    let change = id.to_string();
    let error = Error::new(Kind::Refused, key, message).detail("change_id", id.as_str());
    Some(
        error.detail("archived", format!("{folder}/")).hint(
            Hint::from(Action::ShowChange { change })
                .text(" to read it; to go on, ")
                .action(Action::CreateChange),
        ),
    )
}
