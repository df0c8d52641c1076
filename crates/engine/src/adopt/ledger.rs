//! What was described before: the proposals of all changes that `adopt` has drafted, open or archived, list it.
//!
//! A change that was withdrawn is forgotten with all that it said.

use std::collections::BTreeSet;

use hewto_core::adopt::Kind;
use hewto_core::id::SpecId;
use hewto_store::change_files::PROPOSAL;
use hewto_store::{Context, DocKey};

use super::SeenView;
use crate::change::ChangeFolder;
use crate::error::Result;
use crate::view::ObservedView;
use crate::workspace::Workspace;

/// By this a change of `adopt` is known; the first has nothing behind it.
pub(super) const CHANGE: &str = "adopt-code";
/// How a line of the list begins.
pub(super) const LISTED: &str = "- observed `";
/// By this a requirement shows that nobody has looked at it yet.
pub(super) const MARK: &str = "- Status: observed";

/// How the lines begin that name where a requirement was seen.
pub(super) const CODE: &str = "- Code: `";
/// How the lines begin that name the tests of a requirement.
pub(super) const TEST: &str = "- Test: `";

/// What was described.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    keys: BTreeSet<String>,
    /// How many changes of `adopt` there are and were.
    pub(super) runs: usize,
}

impl Ledger {
    pub(super) fn read(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let mut ledger = Self::default();
        let open = ws.store().changes(ctx)?.changes.into_iter();
        for entry in open.chain(ws.store().archived_changes(ctx)?) {
            let name = entry.folder.name().to_owned();
            if !name.contains(CHANGE) {
                continue;
            }
            ledger.runs += 1;
            let Some(key) = entry.file(PROPOSAL) else { continue };
            if let Ok(Some(doc)) = ws.store().read(ctx, &key) {
                let keys =
                    doc.text.lines().filter_map(|line| line.trim().strip_prefix(LISTED)?.split('`').next());
                ledger.keys.extend(keys.map(str::to_owned));
            }
        }
        Ok(ledger)
    }

    pub(super) fn knows(&self, item: &SeenView) -> bool {
        self.keys.contains(&key(item))
    }
}

/// What stands for an item in the list.
pub(super) fn key(item: &SeenView) -> String {
    let plain = item.name.replace('`', "'");
    if item.kind == Kind::Function {
        format!("{} {} {plain}", item.kind, item.file)
    } else {
        format!("{} {plain}", item.kind)
    }
}

/// Requirements that were seen in the code and that nobody has described yet.
pub fn backlog(ws: &Workspace, ctx: &Context) -> Result<Vec<ObservedView>> {
    Ok(observed(ws, ctx, &ChangeFolder::load_all(ws, ctx)?))
}

/// The same with the open changes loaded already. What was archived with its mark stays on the list.
pub(crate) fn observed(ws: &Workspace, ctx: &Context, folders: &[ChangeFolder]) -> Vec<ObservedView> {
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| folder.id().contains(CHANGE)) {
        let item = format!("change:{}", folder.id());
        for delta in &folder.deltas {
            found.extend(marked(&delta.document.text, &item, delta.capability.as_str()));
        }
    }
    // What cannot be read hides nothing else; the checks tell of it.
    for id in archived(ws, ctx).unwrap_or_default() {
        if let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::Spec(id.clone())) {
            found.extend(marked(&doc.text, id.as_str(), id.as_str()));
        }
    }
    found
}

/// The specs that archived changes of `adopt` have brought.
fn archived(ws: &Workspace, ctx: &Context) -> Result<BTreeSet<SpecId>> {
    let mut found = BTreeSet::new();
    for entry in ws.store().archived_changes(ctx)? {
        if entry.folder.name().contains(CHANGE) {
            let capability =
                |file: &String| SpecId::parse(file.strip_prefix("specs/")?.strip_suffix("/spec.md")?).ok();
            found.extend(entry.files.iter().filter_map(capability));
        }
    }
    Ok(found)
}

/// The requirements of a text that have the mark.
fn marked(text: &str, item: &str, capability: &str) -> Vec<ObservedView> {
    let mut found: Vec<ObservedView> = Vec::new();
    let mut requirement = "";
    let mut is_open = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### Requirement:") {
            requirement = name.trim();
            is_open = false;
        } else if line.trim_end() == MARK {
            is_open = true;
            found.push(ObservedView {
                item: item.to_owned(),
                capability: capability.to_owned(),
                requirement: requirement.to_owned(),
                ..ObservedView::default()
            });
        } else if let Some(last) = found.last_mut().filter(|_| is_open) {
            if let Some(code) = line.strip_prefix(CODE) {
                let mut parts = code.split('`');
                let place = parts.next().unwrap_or_default();
                if last.code.is_empty() {
                    place.clone_into(&mut last.code);
                }
                if let (Some((file, _)), Some(name)) = (place.rsplit_once(':'), parts.nth(1)) {
                    last.declared.push((file.to_owned(), name.to_owned()));
                }
            } else if let Some((place, name)) = line.strip_prefix(TEST).and_then(|rest| rest.split_once("` "))
            {
                last.tests.push(format!("{place} {}", name.trim()));
            }
        }
    }
    found
}
