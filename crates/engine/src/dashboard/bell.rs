//! Hearing that something happened, before anybody looks for what it was.

pub use hewto_store::Bell;

use crate::decision::Repository;
use crate::project::Project;

/// A bell in everything that pages show; nothing where the file system cannot tell, or there is no workspace.
pub fn bell(project: &Project) -> Option<Bell> {
    let workspace = project.workspace().ok()?;
    let bell = Bell::start(workspace.root())?;
    hang(&bell, project);
    Some(bell)
}

/// Hangs it in what has come since, too.
pub fn hang(bell: &Bell, project: &Project) {
    let Ok(workspace) = project.workspace() else { return };
    let watched = workspace.store().watched();
    for tree in watched.specs.iter().chain(&watched.changes) {
        bell.hang_in_tree(tree);
    }
    let repository = project.repository(None).ok();
    let decisions = repository.iter().flat_map(Repository::folders);
    for folder in watched.records.into_iter().chain(decisions) {
        bell.hang_in_folder(&folder);
    }
}
