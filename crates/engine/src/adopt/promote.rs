//! Takes the mark off a requirement that somebody has described.

use hewto_store::{Context, DocKey, Expect, Transaction};

use super::ledger::MARK;
use crate::change::ChangeFolder;
use crate::error::{Error, Key, Kind, Result};
use crate::view::ObservedView;
use crate::workspace::Workspace;

/// Promotes one observed requirement of an open change: `capability#requirement`, or its name alone where no other has it.
pub fn promote(ws: &Workspace, ctx: &Context, named: &str) -> Result<ObservedView> {
    let lock = ws.store().lock(ctx)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let (capability, name) =
        named.split_once('#').map_or((None, named), |(capability, name)| (Some(capability), name));
    let is_meant = |one: &ObservedView| {
        capability.is_none_or(|capability| one.capability == capability)
            && (one.requirement == name.trim() || plain(&one.requirement) == plain(name))
    };
    let mut found: Vec<ObservedView> =
        super::ledger::observed(&folders).into_iter().filter(is_meant).collect();
    let Some(observed) = found.pop() else {
        return Err(Error::new(
            Kind::Refused,
            Key::RequirementNotFound,
            format!("no observed requirement is called `{named}`"),
        )
        .hint("`hewto status` lists what was seen and not yet described"));
    };
    if !found.is_empty() {
        let named: Vec<String> = found
            .iter()
            .chain([&observed])
            .map(|one| format!("{}#{}", one.capability, one.requirement))
            .collect();
        return Err(Error::new(
            Kind::Refused,
            Key::AmbiguousName,
            format!("several observed requirements are called `{name}`"),
        )
        .hint(format!("name one of {}", named.join(", "))));
    }
    let delta = folders
        .iter()
        .filter(|folder| observed.item == format!("change:{}", folder.id()))
        .flat_map(|folder| folder.deltas.iter().map(move |delta| (folder, delta)))
        .find(|(_, delta)| delta.capability.to_string() == observed.capability);
    let Some((_, delta)) = delta else {
        return Err(Error::new(Kind::Refused, Key::RequirementNotFound, format!("`{named}` is gone"))
            .hint("look again"));
    };
    let mut transaction = Transaction::new();
    let after = without_mark(&delta.document.text, &observed.requirement);
    transaction.put(DocKey::File(delta.document.path.clone()), after, Expect::Hash(delta.document.hash));
    lock.commit(ctx, transaction)?;
    Ok(observed)
}

/// The text without the mark of this requirement; every other byte stays.
fn without_mark(text: &str, requirement: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("### Requirement:") {
            is_inside = name.trim() == requirement;
        }
        if !(is_inside && line.trim_end() == MARK) {
            out.push_str(line);
        }
    }
    out
}

fn plain(name: &str) -> String {
    name.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}
