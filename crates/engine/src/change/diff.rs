//! `change_diff`: what a change does, told in requirements and scenarios.

use hewto_core::archive;
use hewto_core::check::ChangeFiles;
use hewto_core::page::Room;
use hewto_core::rules::dialect::Dialect;
use hewto_store::Context;

use super::ChangeFolder;
use super::bases::GitBases;
use crate::error::{Error, Result};
use crate::view::{DiffView, DifferenceView};
use crate::workspace::Workspace;

/// Everything that would be different in the specs, as far as it fits into `max_chars`.
pub fn diff(ws: &Workspace, ctx: &Context, id: &str, max_chars: usize) -> Result<DiffView> {
    let folder = ChangeFolder::load(ws, ctx, id)?;
    let bases = folder.bases(&GitBases::find(ws, ctx, [&folder]));
    let mut differences = folder.with_texts(ws, ctx, &bases, |texts| match texts.unreadable.first() {
        Some(one) => Err(Error::validation(&one.message).detail("file", one.file.as_str()).hint(&one.hint)),
        None => Ok(views(texts.files, folder.dialect())),
    })??;
    let mut room = Room::strict(max_chars);
    let shown = differences.iter().take_while(|difference| room.takes(difference)).count();
    let rest = differences.len() - shown;
    differences.truncate(shown);
    let left_out = (rest > 0).then(|| format!("{rest} more differences: ask with a larger `max_chars`"));
    Ok(DiffView { change_id: folder.id().to_owned(), differences, left_out })
}

fn views(files: &ChangeFiles<'_>, dialect: Dialect) -> Vec<DifferenceView> {
    let found = archive::differences(files, dialect).into_iter().zip(files.deltas);
    let views = found.flat_map(|(found, delta)| {
        found.into_iter().map(|difference| DifferenceView {
            capability: delta.capability.to_owned(),
            text: difference.line(),
            requirement: difference.requirement,
            scenario: difference.scenario,
        })
    });
    views.collect()
}
