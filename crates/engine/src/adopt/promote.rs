//! Takes the mark off requirements that somebody has described.

use std::fmt::Write as _;

use hewto_core::id::SpecId;
use hewto_core::near::near;
use hewto_core::proof::ledger::{Sidecar, SidecarEntry, SidecarTarget};
use hewto_core::proof::{Ref, anchor_title};
use hewto_core::requirement::requirement_ids;
use hewto_store::{ContentHash, Context, DocKey, Expect, Own, Transaction};

use super::ledger::MARK;
use crate::change::ChangeFolder;
use crate::claim;
use crate::error::{Error, Key, Kind, Result};
use crate::faults::Faults;
use crate::view::ObservedView;
use crate::workspace::Workspace;

/// Promotes observed requirements, of open changes or of specs that one was archived into: `capability#requirement`, or
/// a name alone where no other has it. Their code and their tests are linked to them. All of it is one commit: where one of
/// them cannot be found, none is promoted.
pub fn promote(ws: &Workspace, ctx: &Context, names: &[String]) -> Result<Vec<ObservedView>> {
    let ws = &ws.foreseeing(|ws| Ok(super::ledger::observed(ws, ctx, &ChangeFolder::load_all(ws, ctx)?)));
    let (lock, ref ws) = claim::lock_for_all(ws, ctx)?;
    let folders = ChangeFolder::load_all(ws, ctx)?;
    let all = super::ledger::observed(ws, ctx, &folders);
    let mut promoted: Vec<ObservedView> = Vec::new();
    let mut faults = Faults::default();
    for (index, named) in names.iter().enumerate() {
        let found = the_one(&all, named).map_err(|error| error.detail("field", format!("promote/{index}")));
        // Named twice is promoted once.
        if let Some(found) = faults.take(found)
            && !promoted.contains(found)
        {
            promoted.push(found.clone());
        }
    }
    faults.finish()?;
    let mut texts: Vec<Edit> = Vec::new();
    for observed in &promoted {
        let (key, text, hash) = document(ws, ctx, &folders, observed)?;
        let at = texts.iter().position(|edit| edit.key == key).unwrap_or_else(|| {
            texts.push(Edit { key, text, hash });
            texts.len() - 1
        });
        texts[at].text = without_mark(&texts[at].text, &observed.requirement);
    }
    let mut transaction = Transaction::new();
    for Edit { key, text, hash } in texts {
        transaction.put(key, text, Expect::Hash(hash));
    }
    link(ws, ctx, &promoted, &mut transaction)?;
    lock.commit(ctx, transaction)?;
    Ok(promoted)
}

/// A document whose marks are taken off.
struct Edit {
    key: DocKey,
    text: String,
    hash: ContentHash,
}

/// The observed requirement that a name means.
fn the_one<'o>(all: &'o [ObservedView], named: &str) -> Result<&'o ObservedView> {
    let (capability, name) =
        named.split_once('#').map_or((None, named), |(capability, name)| (Some(capability), name));
    let is_meant = |one: &&ObservedView| {
        capability.is_none_or(|capability| one.capability == capability)
            && (one.requirement == name.trim() || plain(&one.requirement) == plain(name))
    };
    let found: Vec<&ObservedView> = all.iter().filter(is_meant).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let known: Vec<String> =
                all.iter().map(|one| format!("{}#{}", one.capability, one.requirement)).collect();
            let close = near(named, known.iter().map(String::as_str), 3);
            let message = format!("no observed requirement is called `{named}`; nothing was promoted");
            let hint = match close.as_slice() {
                [] => "`hewto status` lists what was seen and not yet described".to_owned(),
                close => format!("did you mean `{}`?", close.join("`, `")),
            };
            Err(Error::new(Kind::Refused, Key::RequirementNotFound, message).detail("near", close).hint(hint))
        }
        several => {
            let named: Vec<String> =
                several.iter().map(|one| format!("{}#{}", one.capability, one.requirement)).collect();
            Err(Error::new(
                Kind::Refused,
                Key::AmbiguousName,
                format!("several observed requirements are called `{name}`; nothing was promoted"),
            )
            .hint(format!("name one of {}", named.join(", "))))
        }
    }
}

/// The document that holds an observed requirement.
fn document(
    ws: &Workspace,
    ctx: &Context,
    folders: &[ChangeFolder],
    observed: &ObservedView,
) -> Result<(DocKey, String, ContentHash)> {
    let found = if let Some(change) = observed.item.strip_prefix("change:") {
        let mut deltas =
            folders.iter().filter(|folder| folder.id() == change).flat_map(|folder| &folder.deltas);
        let delta = deltas.find(|delta| delta.capability.as_str() == observed.capability);
        delta.map(|delta| {
            let document = &delta.document;
            (document.key(), document.text.clone(), document.hash)
        })
    } else {
        let key = SpecId::parse(&observed.item).ok().map(DocKey::Spec);
        let doc = key.as_ref().map(|key| ws.store().read(ctx, key)).transpose()?.flatten();
        key.zip(doc).map(|(key, doc)| (key, doc.text, doc.hash))
    };
    found.ok_or_else(|| {
        let name = format!("{}#{}", observed.capability, observed.requirement);
        Error::new(Kind::Refused, Key::RequirementNotFound, format!("`{name}` is gone")).hint("look again")
    })
}

/// Links the code and the tests that requirements name to them, as what somebody vouches for now: in the sidecar, since
/// the files are not hewto's. What is no longer there is left out, and so is what is linked already.
fn link(
    ws: &Workspace,
    ctx: &Context,
    promoted: &[ObservedView],
    transaction: &mut Transaction,
) -> Result<()> {
    let key = DocKey::Own(Own::Links);
    let known = ws.store().read(ctx, &key)?;
    let before = known.as_ref().map(|doc| doc.text.clone()).unwrap_or_default();
    let linked = Sidecar::read(&before);
    let mut text = before;
    for observed in promoted {
        link_one(ws, ctx, observed, &linked, &mut text);
    }
    let expect = known.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    if known.is_none_or(|doc| doc.text != text) && !text.is_empty() {
        transaction.put(key, text, expect);
    }
    Ok(())
}

fn link_one(ws: &Workspace, ctx: &Context, observed: &ObservedView, linked: &Sidecar, text: &mut String) {
    let ids = requirement_ids([observed.requirement.as_str()]);
    let reference = Ref::new(&observed.capability, ids.first().map_or("", String::as_str), None);
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
