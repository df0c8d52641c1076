//! Finds the workspace that a folder belongs to (D-2).

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::load::has_marker;
use super::repository::repository_root;
use super::{Layout, LayoutKind, Places};

/// Where the search begins, and who said so.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// Somebody named this folder: it has to be (inside) a workspace. `by` is the option or variable.
    Override { path: &'a Path, by: &'a str },
    /// Nobody named one: the current directory.
    Here(&'a Path),
}

/// Why there is no workspace.
#[derive(Debug, Error)]
pub enum DiscoverError {
    #[error("no workspace at or above: {}", start.display())]
    NotFound { start: PathBuf },
    #[error("`{by}` names no workspace: {}", path.display())]
    OverrideIsNone { path: PathBuf, by: String },
    #[error("cannot look for a workspace in: {}", path.display())]
    Start { path: PathBuf, source: std::io::Error },
}

impl DiscoverError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "run `hewto init` in the folder that should become the workspace",
            Self::OverrideIsNone { .. } => "name a folder inside a workspace, or run `hewto init` there",
            Self::Start { .. } => "name a folder that exists and can be read",
        }
    }
}

/// The layout of the nearest workspace at or above the start.
pub fn discover(start: Start<'_>) -> Result<Layout, DiscoverError> {
    let (Start::Override { path, .. } | Start::Here(path)) = start;
    let real = fs_err::canonicalize(path)
        .map_err(|source| DiscoverError::Start { path: path.to_owned(), source })?;
    let is_root = |folder: &&Path| LayoutKind::ALL.into_iter().any(|kind| has_marker(folder, kind));
    match real.ancestors().find(is_root) {
        Some(root) => Ok(Layout::load(root)),
        None => Err(match start {
            Start::Override { path, by } => {
                DiscoverError::OverrideIsNone { path: path.to_owned(), by: by.to_owned() }
            }
            Start::Here(_) => DiscoverError::NotFound { start: real },
        }),
    }
}

/// Whether a folder holds SpecMan's documents without its marker, which its own repositories do not keep in git.
pub fn is_unmarked_specman(folder: &Path) -> bool {
    let has = |shelf: &str, document: &str| {
        let Ok(entries) = fs_err::read_dir(folder.join(shelf)) else { return false };
        entries.filter_map(Result::ok).any(|entry| entry.path().join(document).is_file())
    };
    let is_marked = LayoutKind::ALL.into_iter().any(|kind| has_marker(folder, kind));
    !is_marked && has("spec", "spec.md") && has("impl", "impl.md")
}

/// The workspace that a folder takes part in: the nearest one, unless the folder belongs to a git repository of its own
/// that lies inside it.
pub fn discover_own(folder: &Path) -> Option<Layout> {
    let layout = discover(Start::Here(folder)).ok()?;
    let real = fs_err::canonicalize(folder).ok()?;
    if is_apart(&real, layout.root()) { None } else { Some(layout) }
}

/// Whether a folder is the root of a workspace.
pub fn is_workspace_root(folder: &Path) -> bool {
    LayoutKind::ALL.into_iter().any(|kind| has_marker(folder, kind))
}

/// The nearest root at or above the start that hewto has left anything in, workspace or not. What lies around a git
/// repository of its own is not that repository's.
pub fn discover_remains(start: &Path) -> Result<Layout, DiscoverError> {
    let real = fs_err::canonicalize(start)
        .map_err(|source| DiscoverError::Start { path: start.to_owned(), source })?;
    let state = Places::of(&[LayoutKind::Native]).state;
    let has_remains = |folder: &&Path| {
        state.under(folder).is_dir() || LayoutKind::ALL.into_iter().any(|kind| has_marker(folder, kind))
    };
    match real.ancestors().find(has_remains).filter(|root| !is_apart(&real, root)) {
        Some(root) => Ok(Layout::load(root)),
        None => Err(DiscoverError::NotFound { start: real }),
    }
}

/// Whether a folder belongs to a git repository that lies inside this root.
fn is_apart(folder: &Path, root: &Path) -> bool {
    repository_root(folder).is_some_and(|own| own != root && own.starts_with(root))
}
