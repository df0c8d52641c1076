//! Hearing that something happened, before anybody looks for what it was.

use std::path::{Path, PathBuf};

pub use hewto_store::Bell;
use hewto_store::OWN_FOLDER;

use crate::decision::Repository;
use crate::project::Project;
use crate::workspace::Workspace;

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
    for tree in trees(workspace) {
        bell.hang_in_tree(&tree);
    }
    let repository = project.repository(None).ok();
    for folder in folders(workspace, repository.as_ref()) {
        bell.hang_in_folder(&folder);
    }
}

/// Specs and changes, with all that stands beside them.
fn trees(ws: &Workspace) -> Vec<PathBuf> {
    let layout = ws.layout();
    let specs = layout.spec_roots().iter().map(|root| root.path.under(ws.root()));
    let changes = layout.change_roots().iter().map(|root| root.changes.under(ws.root()));
    specs.chain(changes).collect()
}

/// Decisions, claims, proof, the log, and calls under way.
fn folders(ws: &Workspace, repository: Option<&Repository>) -> Vec<PathBuf> {
    let own = ws.root().join(OWN_FOLDER);
    let mut folders = vec![own.clone(), ws.shared_folder().path().clone()];
    folders.extend(["proof", "proof/accepted", "proof/runs", "decisions"].map(|name| own.join(name)));
    folders.extend(repository.into_iter().flat_map(Repository::folders));
    let state = ws.layout().state_root();
    let parent = |path: PathBuf| path.parent().map(Path::to_owned);
    folders.extend(parent(ws.places().operation_log.under(state)));
    folders.extend(parent(ws.places().cache.under(state)).map(|dot| dot.join("live")));
    folders
}
