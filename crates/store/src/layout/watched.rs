//! What is looked at on disk by whoever wants to hear that something happened.

use std::path::PathBuf;

use super::{LocalFolder, OWN_FOLDER};
use crate::store::Store;

/// Folders inside hewto's own in which people's records appear.
const RECORDS: [&str; 4] = ["proof", "proof/accepted", "proof/runs", "decisions"];

/// What is on disk where things happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The trees of specs, with all that stands beside them.
    pub specs: Vec<PathBuf>,
    /// The trees of changes.
    pub changes: Vec<PathBuf>,
    /// The folders of decisions that wait, proof, claims, the log, and calls under way.
    pub records: Vec<PathBuf>,
}

impl Store {
    /// Where to look for whoever wants to hear that something happened.
    pub fn watched(&self) -> Watched {
        let (root, layout) = (self.root(), self.layout());
        let (own, state) = (root.join(OWN_FOLDER), layout.state_root());
        let mut records = vec![own.clone(), layout.shared_folder().path().clone()];
        records.extend(RECORDS.map(|name| own.join(name)));
        records.extend(self.places().operation_log.parent().map(|logs| logs.under(state)));
        records.push(layout.local_folder(LocalFolder::Running).under(state));
        Watched {
            specs: layout.spec_roots().iter().map(|specs| specs.path.under(root)).collect(),
            changes: layout.change_roots().iter().map(|changes| changes.changes.under(root)).collect(),
            records,
        }
    }
}
