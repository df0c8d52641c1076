//! Records of other tools (adr-tools, MADR) that stand among the decisions: they are shown, and decide nothing here.

use hewto_core::decision::uid::{Uid, record_id};
use hewto_core::import::{AdrBrief, adr_brief, is_madr};
use hewto_store::{Context, Doc, DocKey};

use super::failure;
use super::repository::Repository;
use crate::error::Result;
use crate::view::ForeignDecision;

/// All of them in the order of their names. What cannot be read is left out: nothing follows from it.
pub(crate) fn foreign(repository: &Repository, ctx: &Context) -> Result<Vec<ForeignDecision>> {
    let mut found = Vec::new();
    for (name, key) in files(repository, ctx)? {
        ctx.check()?;
        if let Ok(Some(doc)) = repository.read(ctx, &key) {
            found.push(line(name, &doc));
        }
    }
    Ok(found)
}

/// The one of this name, with its text.
pub(crate) fn foreign_named(
    repository: &Repository,
    ctx: &Context,
    wanted: &str,
) -> Result<Option<(ForeignDecision, String)>> {
    let file = files(repository, ctx)?.into_iter().find(|(name, _)| name == wanted);
    let Some((name, key)) = file else { return Ok(None) };
    let doc = repository.read(ctx, &key)?;
    Ok(doc.map(|doc| (line(name, &doc), doc.text)))
}

fn files(repository: &Repository, ctx: &Context) -> Result<Vec<(String, DocKey)>> {
    let folder = &repository.places().decisions;
    let names = repository.store().file_names(ctx, folder).map_err(failure::unreadable)?;
    let foreign = names.into_iter().filter(|name| Uid::of_file_name(name).is_none());
    let mut files: Vec<(String, DocKey)> =
        foreign.filter_map(|name| record_id(&name).zip(folder.document(&name).ok())).collect();
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(files)
}

fn line(name: String, doc: &Doc) -> ForeignDecision {
    let path = doc.path.to_string();
    let AdrBrief { title, date, status } = adr_brief(&path, &doc.text);
    let format = if is_madr(&doc.text) { "madr" } else { "adr-tools" };
    ForeignDecision { name, title, date, state: status, format: format.to_owned(), path }
}
