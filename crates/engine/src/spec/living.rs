//! What a living spec allows: it is what is promised now, and changes through a change.

use hewto_core::document::Document;
use hewto_core::requirement::SpecDoc;
use serde_json::json;

use super::list::ItemKind;
use crate::error::{Action, Error, Hint, Result};
use crate::item::SpecText;
use crate::workspace::Workspace;

/// Refuses to make work of a living capability, which a spec without a state is in another tool's root. In our own it is a
/// draft: whoever plans and builds it there keeps what it promises all the same ([`keep_promises`]).
pub(crate) fn refuse(ws: &Workspace, spec: &SpecText) -> Result<()> {
    if !ws.is_living_folder(&spec.document.path) {
        return Ok(());
    }
    let error = Error::validation(format!("`{}` is a living capability, not a work item", spec.id))
        .detail("spec_id", spec.id.as_str())
        .detail("kind", ItemKind::Living.as_str());
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
                .text(" to add, modify, remove or rename them; nothing was written"),
        ))
}
