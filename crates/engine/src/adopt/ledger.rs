//! What was described before: the proposals of all changes that `adopt` has drafted, open or archived, list it.
//!
//! A change that was withdrawn is forgotten with all that it said.

use std::collections::BTreeSet;

use hewto_core::adopt::Kind;
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
            let name = entry.folder.file_name().to_owned();
            if !name.contains(CHANGE) {
                continue;
            }
            ledger.runs += 1;
            let Some(path) = entry.file("proposal.md") else { continue };
            if let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::File(path)) {
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
    if item.kind == Kind::Function.as_str() {
        format!("{} {} {plain}", item.kind, item.file)
    } else {
        format!("{} {plain}", item.kind)
    }
}

/// Requirements that were seen in the code and that nobody has described yet.
pub fn backlog(ws: &Workspace, ctx: &Context) -> Result<Vec<ObservedView>> {
    Ok(observed(&ChangeFolder::load_all(ws, ctx)?))
}

/// The same of changes that are loaded already.
pub(crate) fn observed(folders: &[ChangeFolder]) -> Vec<ObservedView> {
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| folder.id().contains(CHANGE)) {
        for delta in &folder.deltas {
            let mut requirement = String::new();
            let mut is_observed = false;
            for line in delta.document.text.lines() {
                if let Some(name) = line.strip_prefix("### Requirement:") {
                    name.trim().clone_into(&mut requirement);
                    is_observed = false;
                } else if line.trim_end() == MARK {
                    is_observed = true;
                } else if let Some(code) = line.strip_prefix("- Code: `").filter(|_| is_observed) {
                    found.push(ObservedView {
                        item: format!("change:{}", folder.id()),
                        capability: delta.capability.to_string(),
                        requirement: requirement.clone(),
                        code: code.split('`').next().unwrap_or_default().to_owned(),
                    });
                    is_observed = false;
                }
            }
        }
    }
    found
}
