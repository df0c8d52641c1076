//! What a living spec allows: it is what is promised now, and changes through a change.

use hewto_core::document::Document;
use hewto_core::id::WorkItem;
use hewto_core::requirement::SpecDoc;
use hewto_store::{Context, DocKey};
use serde_json::json;

use super::list::ItemKind;
use crate::error::{Action, Error, Hint, Result};
use crate::item::SpecText;
use crate::workspace::Workspace;

/// Refuses to make work of a spec without a state that is a promise: whatever stands in another tool's root, and of our
/// own what has requirements. A plan that somebody put beside it by hand makes it work; AirsSpec knows no living specs,
/// and works on every one.
pub(crate) fn refuse(ws: &Workspace, ctx: &Context, spec: &SpecText) -> Result<()> {
    let path = &spec.document.path;
    let mut promised = Vec::new();
    if !ws.is_living_folder(path) {
        let document = Document::parse(&spec.document.text);
        promised.extend(SpecDoc::read(&document).requirements.iter().map(|one| one.name.to_owned()));
        let is_planned = || ws.store().read(ctx, &DocKey::Plan(WorkItem::Spec(spec.id.clone())));
        if promised.is_empty() || ws.keeps_seed_flow() || !ws.is_native(path) || is_planned()?.is_some() {
            return Ok(());
        }
    }
    let what = if promised.is_empty() { "a living capability" } else { "a living spec" };
    let error = Error::validation(format!("`{}` is {what}, not a work item", spec.id))
        .detail("spec_id", spec.id.as_str())
        .detail("kind", ItemKind::Living.as_str());
    let error = if promised.is_empty() { error } else { error.detail("requirements", json!(promised)) };
    Err(error.hint(
        Hint::from("what it promises changes through a change: ")
            .action(Action::CreateChange)
            .text(" and work on `change:<id>`; nothing was written"),
    ))
}

/// Refuses to alter, drop or add what a living spec promises: its requirements change through a change.
pub(crate) fn keep_promises(spec: &SpecText, new: &str) -> Result<()> {
    let (before, after) = (Document::parse(&spec.document.text), Document::parse(new));
    let (before, after) = (SpecDoc::read(&before).requirements, SpecDoc::read(&after).requirements);
    let mut left: Vec<_> = after.iter().collect();
    let (mut lost, mut what) = (Vec::new(), "alter or drop");
    for requirement in &before {
        match left.iter().position(|other| other.raw.trim_end() == requirement.raw.trim_end()) {
            Some(at) => drop(left.swap_remove(at)),
            None => lost.push(requirement.name),
        }
    }
    // Nothing that was promised before: it is only becoming a living spec.
    if before.is_empty() {
        return Ok(());
    }
    if lost.is_empty() {
        lost.extend(left.iter().map(|requirement| requirement.name));
        what = "add";
    }
    if lost.is_empty() {
        return Ok(());
    }
    let id = spec.id.as_str();
    let names = lost.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(Error::validation(format!("`{id}` is a living spec: this would {what} {names}"))
        .detail("spec_id", id)
        .detail("requirements", json!(lost))
        .hint(
            Hint::from(Action::CreateChange)
                .text(" that has them `added`, `modified`, `removed` or `renamed`; nothing was written"),
        ))
}
