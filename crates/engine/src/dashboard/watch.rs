//! Hearing that something happened, before anybody looks for what it was.

pub use hewto_store::FolderWatcher;

use crate::decision::Repository;
use crate::project::Project;

/// Watches everything that pages show; nothing where the file system cannot tell, or there is no workspace.
pub fn watcher(project: &Project) -> Option<FolderWatcher> {
    let workspace = project.workspace().ok()?;
    let watcher = FolderWatcher::start(workspace.root())?;
    watch_new(&watcher, project);
    Some(watcher)
}

/// Watches what has come since, too.
pub fn watch_new(watcher: &FolderWatcher, project: &Project) {
    let Ok(workspace) = project.workspace() else { return };
    let watched = workspace.store().watched();
    for tree in watched.specs.iter().chain(&watched.changes) {
        watcher.add_tree(tree);
    }
    let repository = project.repository(None).ok();
    let decisions = repository.iter().flat_map(Repository::folders);
    for folder in watched.records.into_iter().chain(decisions) {
        watcher.add_folder(&folder);
    }
}
