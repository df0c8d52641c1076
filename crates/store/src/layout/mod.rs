//! Where everything lives: the only module that knows a file or folder name (D-3).
//!
//! A [`Layout`] is plain data, made from the markers that stand in a workspace root: [`table`] holds the names,
//! [`load`] looks at the disk, [`init`] says what a new workspace consists of. Nothing here writes.

pub mod change_files;
mod discover;
mod folder;
mod git_folder;
mod init;
mod key;
mod load;
mod local;
mod refs;
mod repository;
mod shelf;
mod table;
mod watched;

use std::path::{Path, PathBuf};

use hewto_core::diagnostic::Finding;
use hewto_core::id::{ChangeId, SpecId};

pub use discover::{
    DiscoverError, Start, discover, discover_own, discover_remains, is_unmarked_specman, is_workspace_root,
};
pub use folder::DocFolder;
pub use git_folder::readable_git_folder;
pub use init::{InitPlan, plan_init};
pub use key::{DocKey, Own};
pub use local::{LocalFolder, LocalKey};
pub use refs::RefsStamp;
pub(crate) use repository::common_git_folder;
pub use repository::{
    current_branch, discover_repository, discover_repository_state, git_folders, head_commit,
    repository_root, shared_vectors,
};
pub use shelf::Shelf;
pub(crate) use table::{JOURNAL_LAST, JOURNAL_PENDING};
pub use table::{LayoutKind, OWN_FOLDER, Places, STATE_GITIGNORE};
pub use watched::Watched;

use crate::path::RelPath;

/// The text of a spec, inside its folder.
pub const SPEC_FILE: &str = "spec.md";
/// A spec's plan, inside its folder.
pub const PLAN_FILE: &str = "plan.md";
/// The lifecycle of a work item, inside its folder.
pub const STATE_FILE: &str = "state.toon";

/// All paths of one workspace.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
    /// Where the places of the machine are counted from, when that is not the root.
    state_root: Option<PathBuf>,
    kinds: Vec<LayoutKind>,
    spec_roots: Vec<SpecRoot>,
    change_roots: Vec<ChangeRoot>,
    places: Places,
    /// Where the operation log is, when somebody chose a place of their own for it.
    log_place: Option<(PathBuf, RelPath)>,
    findings: Vec<Finding>,
}

/// A folder with specs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecRoot {
    pub path: RelPath,
    /// The markers that own this folder; the first one names its style.
    pub owners: Vec<LayoutKind>,
    /// Folders inside that hold something else, relative to this root.
    pub(crate) skipped: Vec<String>,
    /// The name of the document in each folder.
    pub(crate) document: &'static str,
}

/// A folder with changes in it, and where finished ones go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRoot {
    pub changes: RelPath,
    pub archive: RelPath,
    /// Where the project's own kinds of changes are described, in layouts that have them.
    pub(crate) schemas: Option<RelPath>,
    pub owner: LayoutKind,
}

/// Whether specs may stand inside folders of other specs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// `<root>/<id>/spec.md` and nothing deeper.
    Flat,
    /// `<root>/<a>/<b>/spec.md` is the spec `a/b`.
    Deep,
}

impl Layout {
    /// The workspace root, a real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that lock, journal, logs, cache and the command line's interview are below: the root or, in a git
    /// repository that is no workspace, its git folder.
    pub(crate) fn state_root(&self) -> &Path {
        self.state_root.as_deref().unwrap_or(&self.root)
    }

    /// The markers found in the root, in the order of D-2.
    pub fn kinds(&self) -> &[LayoutKind] {
        &self.kinds
    }

    pub fn has(&self, kind: LayoutKind) -> bool {
        self.kinds.contains(&kind)
    }

    pub fn spec_roots(&self) -> &[SpecRoot] {
        &self.spec_roots
    }

    /// The root of specs that a path stands in.
    pub fn spec_root_of(&self, path: &str) -> Option<&SpecRoot> {
        let is_below = |rest: &str| rest.starts_with('/');
        self.spec_roots.iter().find(|root| path.strip_prefix(root.path.as_str()).is_some_and(is_below))
    }

    pub fn change_roots(&self) -> &[ChangeRoot] {
        &self.change_roots
    }

    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What is wrong with the markers and their configuration.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The operation log: a folder, and the path of the log below it.
    pub fn operation_log(&self) -> (&Path, &RelPath) {
        match &self.log_place {
            Some((folder, path)) => (folder, path),
            None => (self.state_root(), &self.places.operation_log),
        }
    }

    /// The same layout with the operation log at this path, which is counted from the root when it is relative. A
    /// path that names no file changes nothing.
    #[must_use]
    pub fn with_operation_log(mut self, path: &Path) -> Self {
        let path = self.root.join(path);
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| RelPath::parse(name).ok());
        if let (Some(folder), Some(name)) = (path.parent(), name) {
            self.log_place = Some((folder.to_owned(), name));
        }
        self
    }

    /// The folder of the search index on disk.
    pub(crate) fn search_index(&self) -> PathBuf {
        self.places.search_index.under(self.state_root())
    }

    /// The root in which the toolset of `kind` creates specs: its own, else the native one, else the first.
    pub fn spec_home(&self, kind: LayoutKind) -> &SpecRoot {
        let owned = |kind| self.spec_roots.iter().find(|root: &&SpecRoot| root.owners.contains(&kind));
        owned(kind).or_else(|| owned(LayoutKind::Native)).unwrap_or(&self.spec_roots[0])
    }

    /// The root in which the toolset of `kind` creates changes.
    pub fn change_home(&self, kind: LayoutKind) -> &ChangeRoot {
        let owned = |kind| self.change_roots.iter().find(|root: &&ChangeRoot| root.owner == kind);
        owned(kind).or_else(|| owned(LayoutKind::Native)).unwrap_or(&self.change_roots[0])
    }

    /// Every folder that this spec may have, by the index of its root.
    pub(crate) fn spec_folders(&self, id: &SpecId) -> impl Iterator<Item = (usize, RelPath)> {
        self.spec_roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| root.folder(id).map(|folder| (index, folder)))
    }

    /// Every folder that this change may have.
    pub(crate) fn change_folders(&self, id: &ChangeId) -> impl Iterator<Item = RelPath> {
        self.change_roots.iter().filter_map(|root| root.folder(id))
    }
}

impl SpecRoot {
    pub(crate) fn nesting(&self) -> Nesting {
        let deep = self.owners.iter().any(|owner| owner.nesting() == Nesting::Deep);
        if deep { Nesting::Deep } else { Nesting::Flat }
    }

    /// The folder of this spec, unless an id like this cannot live here.
    pub(crate) fn folder(&self, id: &SpecId) -> Option<RelPath> {
        let admitted = id.as_str().split('/').all(|name| self.admits_name(name))
            && (self.nesting() == Nesting::Deep || !id.as_str().contains('/'))
            && !self.skips(id.as_str());
        if admitted { self.path.join(id.as_str()).ok() } else { None }
    }

    /// Whether a folder of this name is looked into.
    pub(crate) fn admits_name(&self, name: &str) -> bool {
        let hides_underscores = self.owners.iter().any(|owner| owner.nesting() == Nesting::Flat);
        !name.starts_with(if hides_underscores { &['.', '_'][..] } else { &['.'] })
    }

    /// Whether this folder, relative to the root, belongs to something else.
    pub(crate) fn skips(&self, below: &str) -> bool {
        self.skipped.iter().any(|skipped| {
            below.strip_prefix(skipped.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl ChangeRoot {
    /// Whether a folder with this name is something else than a change.
    pub(crate) fn reserves(&self, id: &ChangeId) -> bool {
        let folder = self.changes.join(id.as_str()).ok();
        // Spec Oxide keeps drafts and, in other settings, its archive among the changes.
        let is_of_spox = self.owner == LayoutKind::Spox && matches!(id.as_str(), "_draft" | "archive");
        id.as_str().starts_with('.') || is_of_spox || folder.as_ref() == Some(&self.archive)
    }

    pub(crate) fn folder(&self, id: &ChangeId) -> Option<RelPath> {
        let folder = self.changes.join(id.as_str()).ok()?;
        if self.reserves(id) { None } else { Some(folder) }
    }
}

#[cfg(test)]
mod tests;
