//! What is looked at on disk by whoever wants to hear that something happened.

use std::path::PathBuf;

use super::{LocalFolder, OWN_FOLDER};
use crate::store::Store;

/// Folders inside hewto's own in which people's records appear.
const RECORDS: [&str; 4] = ["proof", "proof/accepted", "proof/runs", "decisions"];

impl Store {
    /// The trees of specs and of changes, with all that stands beside them.
    pub fn work_trees(&self) -> Vec<PathBuf> {
        let specs = self.layout().spec_roots().iter().map(|root| root.path.under(self.root()));
        specs.chain(self.change_trees()).collect()
    }

    /// The trees of changes.
    pub fn change_trees(&self) -> impl Iterator<Item = PathBuf> {
        self.layout().change_roots().iter().map(|root| root.changes.under(self.root()))
    }

    /// Decisions that wait, proof, claims, the log, and calls under way.
    pub fn record_folders(&self) -> Vec<PathBuf> {
        let layout = self.layout();
        let (own, state) = (self.root().join(OWN_FOLDER), layout.state_root());
        let mut folders = vec![own.clone(), layout.shared_folder().path().clone()];
        folders.extend(RECORDS.map(|name| own.join(name)));
        folders.extend(self.places().operation_log.parent().map(|logs| logs.under(state)));
        folders.push(layout.local_folder(LocalFolder::Running).under(state));
        folders
    }
}
