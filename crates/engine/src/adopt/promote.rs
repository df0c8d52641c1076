//! Takes the mark off a requirement that somebody has described.

use std::fmt::Write as _;

use hewto_core::id::SpecId;
use hewto_core::proof::ledger::{Sidecar, SidecarEntry, SidecarTarget};
use hewto_core::proof::{Ref, anchor_title};
use hewto_core::requirement::requirement_ids;
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use super::ledger::MARK;
use crate::change::ChangeFolder;
use crate::error::{Error, Key, Kind, Result};
use crate::view::ObservedView;
use crate::workspace::Workspace;

/// Promotes one observed requirement, of an open change or of a spec that one was archived into: `capability#requirement`, or
/// its name alone where no other has it. Its code and its tests are linked to it.
pub fn promote(ws: &Workspace, ctx: &Context, named: &str) -> Result<ObservedView> {
    let (lock, ref ws) = ws.lock(ctx)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let (capability, name) =
        named.split_once('#').map_or((None, named), |(capability, name)| (Some(capability), name));
    let is_meant = |one: &ObservedView| {
        capability.is_none_or(|capability| one.capability == capability)
            && (one.requirement == name.trim() || plain(&one.requirement) == plain(name))
    };
    let mut found: Vec<ObservedView> =
        super::ledger::observed(ws, ctx, &folders).into_iter().filter(is_meant).collect();
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
    let (path, document) = if let Some(change) = observed.item.strip_prefix("change:") {
        let deltas = folders.iter().filter(|folder| folder.id() == change).flat_map(|folder| &folder.deltas);
        let delta = deltas.into_iter().find(|delta| delta.capability.as_str() == observed.capability);
        delta.map(|delta| {
            (DocKey::File(delta.document.path.clone()), (delta.document.text.clone(), delta.document.hash))
        })
    } else {
        let key = SpecId::parse(&observed.item).ok().map(DocKey::Spec);
        let doc = key.as_ref().map(|key| ws.store().read(ctx, key)).transpose()?.flatten();
        key.zip(doc.map(|doc| (doc.text, doc.hash)))
    }
    .ok_or_else(|| {
        Error::new(Kind::Refused, Key::RequirementNotFound, format!("`{named}` is gone")).hint("look again")
    })?;
    let (text, hash) = document;
    let mut transaction = Transaction::new();
    transaction.put(path, without_mark(&text, &observed.requirement), Expect::Hash(hash));
    link(ws, ctx, &observed, &mut transaction)?;
    lock.commit(ctx, transaction)?;
    Ok(observed)
}

/// Links the code and the tests that a requirement names to it, as what somebody vouches for now: in the sidecar, since
/// the files are not hewto's. What is no longer there is left out, and so is what is linked already.
fn link(ws: &Workspace, ctx: &Context, observed: &ObservedView, transaction: &mut Transaction) -> Result<()> {
    let key = DocKey::Own(Own::Links);
    let known = ws.store().read(ctx, &key)?;
    let before = known.as_ref().map(|doc| doc.text.clone()).unwrap_or_default();
    let linked = Sidecar::read(&before);
    let ids = requirement_ids([observed.requirement.as_str()]);
    let reference = Ref::new(&observed.capability, ids.first().map_or("", String::as_str), None);
    let mut text = before;
    let tests = observed.tests.iter().filter_map(|test| {
        let (place, title) = test.split_once(' ')?;
        let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
        Some((file, title, SidecarTarget::Test { title: Some(title.to_owned()) }))
    });
    let declared = (observed.declared.iter())
        .map(|(file, name)| (file.as_str(), name.as_str(), SidecarTarget::Declared { name: name.clone() }));
    for (file, name, target) in declared.chain(tests) {
        let is_known = |entry: &SidecarEntry| {
            entry.reference == reference && entry.path == file && entry.target == target
        };
        let Some(place) = DocKey::named(file) else { continue };
        let Ok(Some(bytes)) = ws.store().read_bytes(ctx, &place) else { continue };
        let is_there = anchor_title(file, &String::from_utf8_lossy(&bytes), name).is_some();
        if linked.entries.iter().any(is_known) || !is_there || file.contains("::") {
            continue;
        }
        let kind = if matches!(target, SidecarTarget::Declared { .. }) { "code" } else { "test" };
        let gap = if text.is_empty() { "" } else { "\n" };
        let (named, place) = (toml_text(&reference.to_string()), toml_text(&format!("{file}::{name}")));
        let _ = write!(text, "{gap}[[link]]\nref = {named}\n{kind} = {place}\n");
    }
    let expect = known.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    if known.is_none_or(|doc| doc.text != text) && !text.is_empty() {
        transaction.put(key, text, expect);
    }
    Ok(())
}

/// A text as a TOML value.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
